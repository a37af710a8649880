// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcuda/races/shadow.h"

#include <algorithm>

namespace harness::entries {
namespace {

bool is_before(const RacingAccess& earlier, const VectorClock& now) {
  return earlier.time <= now.at(earlier.thread);
}

/// Returns whether the later access says all that the earlier one says.
bool covers(const RacingAccess& later, const RacingAccess& earlier) {
  return (earlier.mask & ~later.mask) == 0 && later.writes >= earlier.writes &&
         later.is_atomic <= earlier.is_atomic;
}

bool is_same(const RacingAccess& known, const RacingAccess& access) {
  return known.thread == access.thread && known.time == access.time && covers(known, access);
}

bool races(const RacingAccess& known, const RacingAccess& access, const VectorClock& now) {
  return known.time != 0 && known.thread != access.thread && (known.mask & access.mask) != 0 &&
         (known.writes || access.writes) && !(known.is_atomic && access.is_atomic) &&
         !is_before(known, now);
}

}  // namespace

Shadow::Page& Shadow::make(std::uintptr_t number) {
  if (pages_.size() == kMostPages) {
    const std::uintptr_t oldest = ages_.front();
    ages_.pop_front();
    recent_[oldest % kRecent] = nullptr;
    pages_.erase(oldest);
  }
  std::unique_ptr<Page>& page = pages_[number];
  page = std::make_unique<Page>();
  page->number = number;
  ages_.push_back(number);
  return *page;
}

Shadow::Page& Shadow::page_at(std::uintptr_t address) {
  const std::uintptr_t number = address / kPageBytes;
  Page*& recent = recent_[number % kRecent];
  if (recent != nullptr && recent->number == number) [[likely]]
    return *recent;
  const auto found = pages_.find(number);
  Page& page = found != pages_.end() ? *found->second : make(number);
  recent = &page;  // make() may have cleared the entry.
  return page;
}

/// An access in a full cell replaces one that it covers, else one that is ordered before it, else
/// one that depends on the time only, so that it is the same in each run.
void Shadow::note(Cell& cell, const RacingAccess& access, const VectorClock& now) {
  RacingAccess* slot = nullptr;
  for (RacingAccess& known : cell) {
    const bool is_superseded = known.time == 0 || (is_before(known, now) && covers(access, known));
    if (!is_superseded) continue;
    if (slot != nullptr)
      known = {};
    else
      slot = &known;
  }
  if (slot == nullptr) {
    const auto ordered = std::ranges::find_if(
        cell, [&](const RacingAccess& known) { return is_before(known, now); });
    slot = ordered != cell.end() ? &*ordered : &cell[access.time % cell.size()];
  }
  *slot = access;
}

std::optional<RacingAccess> Shadow::access(std::uintptr_t address, const RacingAccess& access,
                                           const VectorClock& now) {
  Cell& cell = page_at(address).cells[address / kCellBytes % kCellsInPage];
  std::optional<RacingAccess> found;
  for (const RacingAccess& known : cell) {
    if (is_same(known, access)) return std::nullopt;
    if (!found && races(known, access, now)) found = known;
  }
  note(cell, access, now);
  return found;
}

void Shadow::clear(Page& page, std::uintptr_t low, std::uintptr_t high) {
  const std::uintptr_t begin = page.number * kPageBytes;
  const std::uintptr_t first = low > begin ? (low - begin) / kCellBytes : 0;
  const std::uintptr_t last =
      std::min<std::uintptr_t>(kCellsInPage, (high - begin + kCellBytes - 1) / kCellBytes);
  for (std::uintptr_t i = first; i < last; ++i) page.cells[i] = {};
}

void Shadow::forget(std::uintptr_t low, std::uintptr_t high) {
  const std::uintptr_t first = low / kPageBytes;
  const std::uintptr_t last = (high - 1) / kPageBytes;
  if (last - first > pages_.size()) {
    for (auto& [number, page] : pages_)
      if (number >= first && number <= last) clear(*page, low, high);
    return;
  }
  for (std::uintptr_t number = first; number <= last; ++number)
    if (const auto page = pages_.find(number); page != pages_.end())
      clear(*page->second, low, high);
}

}  // namespace harness::entries
