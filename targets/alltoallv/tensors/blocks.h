// SPDX-License-Identifier: Apache-2.0
// Blocks: where a process's tensors are: in an allocation each, or in one for several, as a caching
// allocator gives them. The caller's; nothing of UCC's, which sees base and offset.
#pragma once

#include <memory_resource>
#include <vector>

#include "targets/alltoallv/core.h"

namespace targets::alltoallv {

/// Ownership: the process's; owns the allocations until give_back() returns them. Threads: any.
class Blocks {
 public:
  explicit Blocks(const Core& core) : core_(core) {}

  /// Gives room for one tensor, in the current context. What was given back is given again to the
  /// same stream alone: work that is in flight may still use it.
  Status take(CUstream stream, CUdeviceptr& piece);
  /// Returns the allocation to free now: its last piece was given back. 0 if there are others.
  CUdeviceptr give_back(CUdeviceptr piece);

 private:
  struct Block {
    CUdeviceptr base;
    CUstream stream;
    std::uint32_t taken;  ///< A bit per piece.
  };

  Status take_from_block(CUstream stream, CUdeviceptr& piece);

  const Core& core_;
  std::pmr::vector<Block> blocks_;  ///< Those that have a piece taken.
};

}  // namespace targets::alltoallv
