// SPDX-License-Identifier: Apache-2.0
// BlockUses: the bytes that the blocks of a kernel have used so far. Blocks are independent of each
// other (programming guide, *Thread hierarchy*), so if two use the same bytes and one writes, they
// race. A kernel with atomics may order its blocks by them, and is not checked.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/devices/sim/kernels/used_range.h"

namespace harness::devices {

/// Ownership: keeps its storage from kernel to kernel.
class BlockUses {
 public:
  /// Begins a kernel.
  void begin();
  /// Begins a block. `has_atomics`: it also uses atomics.
  void begin_block(bool has_atomics);
  /// Adds a use of the block. Returns the bytes in `range` that an earlier block has used, too, if
  /// one of them writes; otherwise an empty range.
  UsedRange add(const UsedRange& range);

 private:
  static constexpr std::size_t kRangeLimit = 256;

  static void enter(std::vector<UsedRange>& ranges, const UsedRange& range);

  std::vector<UsedRange> before_;  ///< Uses of earlier blocks.
  std::vector<UsedRange> mine_;    ///< Uses of this block.
  bool judged_ = true;
};

}  // namespace harness::devices
