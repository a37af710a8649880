// SPDX-License-Identifier: Apache-2.0
#include "harness/client/views/explored_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/base/printable.h"
#include "harness/client/views/finding_words.h"

namespace harness::reports {
namespace {

/// Returns the names of some threads, and the number of the others.
std::string told_threads(const client::Explored& explored) {
  constexpr std::size_t kNamed = 4;
  std::vector<std::string> names;
  for (const std::string& thread : explored.threads)
    if (names.size() < kNamed) names.push_back(printable(in_words(thread)));
  if (const std::size_t others = explored.threads.size() - names.size(); others > 0)
    names.push_back(fmt::format("{} more", others));
  return fmt::format("schedules of {}", fmt::join(names, ", "));
}

std::vector<std::string> parts_of(const client::Explored& explored) {
  std::vector<std::string> parts;
  if (!explored.threads.empty()) parts.push_back(told_threads(explored));
  if (explored.has_slow_processes)
    parts.push_back(fmt::format("schedules of {} processes", explored.process_count));
  if (explored.has(Site::collect)) parts.emplace_back("collections");
  if (explored.has(Site::lag)) parts.emplace_back("lag of the device");
  if (explored.has(Site::reuse)) parts.emplace_back("reuse of freed memory");
  if (explored.has(Site::watch)) parts.emplace_back("uses of memory by the program itself");
  if (explored.has(Site::failure)) parts.emplace_back("errors of calls");
  return parts;
}

}  // namespace

std::string explored_text(const client::Explored& explored) {
  std::string text;
  if (const std::vector<std::string> parts = parts_of(explored); !parts.empty())
    text = fmt::format("explored: {}\n", fmt::join(parts, "; "));
  if (!explored.free_threads.empty())
    text += fmt::format("not explored: schedules of native threads: {}\n",
                        printable(explored.free_threads));
  if (explored.process_count > 1 && !explored.has_slow_processes)
    text += fmt::format("not explored: schedules of {} processes\n", explored.process_count);
  return text;
}

}  // namespace harness::reports
