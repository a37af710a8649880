// SPDX-License-Identifier: Apache-2.0
#include "harness/base/files/drafts.h"

#include <signal.h>

#include <cerrno>
#include <charconv>
#include <filesystem>

namespace harness {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".draft";

bool is_gone(int process) { return ::kill(process, 0) != 0 && errno == ESRCH; }

}  // namespace

std::optional<int> writer_of_draft(std::string_view name) {
  const std::size_t end = name.rfind(kEnding);
  if (end == name.npos || end == 0) return std::nullopt;
  const std::string_view after = name.substr(end + kEnding.size());
  if (!after.empty() && after != "-wal" && after != "-shm" && after != "-journal")
    return std::nullopt;
  std::size_t begin = name.rfind('.', end - 1);
  if (begin == name.npos) return std::nullopt;
  int process = 0;
  const auto [stop, failed] = std::from_chars(name.data() + begin + 1, name.data() + end, process);
  const bool ends = stop == name.data() + end || *stop == '-';
  if (failed != std::errc() || !ends || process <= 0) return std::nullopt;
  return process;
}

void remove_drafts(const std::string& folder) {
  std::error_code failed;
  fs::directory_iterator entry(folder, failed);
  for (; !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
    const std::optional<int> writer = writer_of_draft(entry->path().filename().string());
    std::error_code none;
    if (writer && is_gone(*writer)) fs::remove(entry->path(), none);
  }
}

}  // namespace harness
