// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/kernels/footprint.h"

#include <algorithm>

namespace harness::devices {

KernelRange& Footprint::start_range(std::uint64_t address, std::uint64_t bytes, AccessMode mode) {
  const auto index = static_cast<std::size_t>(mode);
  if (open_count_[index] < kOpenCount)
    return open_[index][open_count_[index]++] = {address, address + bytes};
  KernelRange& oldest = open_[index][next_[index]];
  next_[index] = (next_[index] + 1) % kOpenCount;
  if (!overflowed_) {
    if (ranges_.size() == kRangeLimit) merge();
    ranges_.push_back({oldest.low, oldest.high, mode});
  }
  return oldest = {address, address + bytes};
}

/// Joins ranges that touch, in any order. If too many are left, the block's ranges are given up.
void Footprint::merge() {
  std::sort(ranges_.begin(), ranges_.end(), [](const UsedRange& a, const UsedRange& b) {
    return a.mode != b.mode ? a.mode < b.mode : a.low < b.low;
  });
  std::size_t count = 0;
  for (const UsedRange& range : ranges_) {
    UsedRange* last = count != 0 ? &ranges_[count - 1] : nullptr;
    if (last != nullptr && last->mode == range.mode && range.low <= last->high)
      last->high = std::max(last->high, range.high);
    else
      ranges_[count++] = range;
  }
  ranges_.resize(count);
  if (count <= kRangeLimit / 2) return;
  overflowed_ = true;
  ranges_.clear();
}

const std::vector<UsedRange>& Footprint::finish() {
  for (std::size_t mode = 0; mode < kModeCount; ++mode)
    for (std::size_t i = 0; i < open_count_[mode]; ++i)
      ranges_.push_back({open_[mode][i].low, open_[mode][i].high, static_cast<AccessMode>(mode)});
  if (ranges_.size() > kFew) merge();
  if (overflowed_) ranges_.clear();
  return ranges_;
}

}  // namespace harness::devices
