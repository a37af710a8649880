// SPDX-License-Identifier: Apache-2.0
#include "scenarios/managed_dict/explain/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace scenarios::managed_dict {
namespace {

using harness::Label;

using Line = std::pair<Order, std::string>;

void add(std::vector<Line>& lines, const WordWrite& write) {
  lines.emplace_back(write.order,
                     fmt::format("word      {:11}  {} bytes at {:+}  instance #{}  {:#x} -> {:#x}",
                                 to_label(write.writer).view(), write.width, write.offset,
                                 write.instance, write.before, write.after));
}

void add(std::vector<Line>& lines, const Sighting& seen) {
  std::string text = fmt::format("probe     {:11}  place {}  instance #{}  chunk #{}  {:#x}",
                                 seen.compiled ? "jit" : "interpreter", seen.place, seen.instance,
                                 seen.chunk, seen.word);
  if (seen.value_shift == kAtNoObject)
    text += "  a value at no object";
  else if (seen.value_shift != 0)
    text += fmt::format("  a value {:+} off", seen.value_shift);
  lines.emplace_back(seen.order, std::move(text));
}

void add(std::vector<Line>& lines, const BlockFinding& finding) {
  lines.emplace_back(finding.order,
                     fmt::format("allocator {:11}  {:+}  block #{}", to_label(finding.kind).view(),
                                 finding.shift, finding.block));
}

}  // namespace

Label to_label(Writer writer) {
  static constexpr std::array<Label, 4> kLabels{"jit", "interpreter", "allocator", "unknown"};
  return kLabels[harness::raw(writer)];
}

Label to_label(BlockFinding::Kind kind) {
  static constexpr std::array<Label, 3> kLabels{"freed_beside", "overrun", "freed_again"};
  return kLabels[harness::raw(kind)];
}

std::vector<std::string> Evidence::lines() const {
  std::vector<Line> ordered;
  for (const WordWrite& write : word_writes) add(ordered, write);
  for (const Sighting& seen : sightings) add(ordered, seen);
  for (const BlockFinding& finding : findings) add(ordered, finding);
  std::sort(ordered.begin(), ordered.end());
  std::vector<std::string> lines;
  lines.reserve(ordered.size() + 1);
  for (Line& line : ordered) lines.push_back(std::move(line.second));
  lines.push_back(
      fmt::format("counters  compiled stores {}, loads {}; stale cache lines {}; frees checked {}",
                  counters.compiled_stores, counters.compiled_loads, counters.stale_cache_lines,
                  checked_frees));
  if (lost_writes != 0) lines.push_back(fmt::format("lost      {} writes to words", lost_writes));
  if (crash) lines.push_back(fmt::format("crash     at {:#x}", crash->address));
  return lines;
}

}  // namespace scenarios::managed_dict
