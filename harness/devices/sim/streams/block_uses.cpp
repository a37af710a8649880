// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/streams/block_uses.h"

#include <algorithm>

namespace harness::devices {

void BlockUses::begin() {
  before_.clear();
  mine_.clear();
  judged_ = true;
}

void BlockUses::begin_block(bool has_atomics) {
  judged_ &= !has_atomics;
  for (const UsedRange& range : mine_) enter(before_, range);
  mine_.clear();
  if (before_.size() > kRangeLimit) judged_ = false;  // Too many to keep, so that races are missed.
}

/// Adds a range. In most cases, a block continues where the one before ended.
void BlockUses::enter(std::vector<UsedRange>& ranges, const UsedRange& range) {
  for (UsedRange& known : ranges) {
    if (known.mode != range.mode || known.high < range.low || range.high < known.low) continue;
    known.low = std::min(known.low, range.low);
    known.high = std::max(known.high, range.high);
    return;
  }
  ranges.push_back(range);
}

UsedRange BlockUses::add(const UsedRange& range) {
  if (!judged_) return {0, 0, AccessMode::read};
  mine_.push_back(range);
  for (const UsedRange& other : before_) {
    const bool conflict = other.mode == AccessMode::write || range.mode == AccessMode::write;
    if (conflict && other.low < range.high && range.low < other.high)
      return {std::max(other.low, range.low), std::min(other.high, range.high), range.mode};
  }
  return {0, 0, AccessMode::read};
}

}  // namespace harness::devices
