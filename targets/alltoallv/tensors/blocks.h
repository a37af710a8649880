// SPDX-License-Identifier: Apache-2.0
// Blocks: memory of a process's tensors: one allocation each, or one for several, as a caching
// allocator does. Part of the caller, not of UCC, which sees base and offset.
#pragma once

#include <memory_resource>
#include <vector>

#include "targets/alltoallv/core.h"

namespace targets::alltoallv {

/// Ownership: owned by the process; owns allocations until give_back() returns them. Threads: any.
class Blocks {
 public:
  explicit Blocks(const Core& core) : core_(core) {}

  /// Allocates memory for one tensor in the current context. A returned piece is reused on the same
  /// stream only: work in flight may still use it.
  Status take(CUstream stream, CUdeviceptr& piece);
  /// Returns a piece. Returns the allocation that is now empty and must be freed, or 0.
  CUdeviceptr give_back(CUdeviceptr piece);

 private:
  struct Block {
    CUdeviceptr base;
    CUstream stream;
    std::uint32_t taken;  ///< One bit per piece.
  };

  Status take_from_block(CUstream stream, CUdeviceptr& piece);

  const Core& core_;
  std::pmr::vector<Block> blocks_;  ///< Blocks with at least one piece in use.
};

}  // namespace targets::alltoallv
