// SPDX-License-Identifier: Apache-2.0
// BlockUses: which bytes the blocks of a kernel have used so far. Blocks are independent of each
// other (programming guide, *Thread hierarchy*), so two that use the same bytes, of which one
// writes, race. A kernel with atomics may order its blocks by them, and is not judged.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/devices/sim/kernels/used_range.h"

namespace harness::devices {

/// Ownership: keeps its storage from kernel to kernel.
class BlockUses {
 public:
  /// A kernel begins.
  void begin();
  /// A block has used these. `has_atomics`: and more, by atomics.
  void begin_block(bool has_atomics);
  /// Returns what the block and one before it both used in a range of the block's, and one of them
  /// wrote; an empty range if there is nothing.
  UsedRange add(const UsedRange& range);

 private:
  static constexpr std::size_t kRangeLimit = 256;

  static void enter(std::vector<UsedRange>& ranges, const UsedRange& range);

  std::vector<UsedRange> before_;  ///< Uses of the blocks before.
  std::vector<UsedRange> mine_;    ///< Uses of this one.
  bool judged_ = true;
};

}  // namespace harness::devices
