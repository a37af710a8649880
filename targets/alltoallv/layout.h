// SPDX-License-Identifier: Apache-2.0
// Layout: data structures in device memory, as the host writes them. kernel.cu has its own copy,
// because a kernel shares no header with the host; the sizes are asserted on both sides.
#pragma once

#include <cuda.h>

#include <cstddef>

#include "targets/alltoallv/alltoallv.h"

namespace targets::alltoallv {

/// Returns the number of threads for a buffer: three elements per thread.
constexpr std::uint32_t block_threads(std::uint32_t element_count) { return element_count / 3; }

/// Parameters and result of the check kernel: the expected rows and the number of mismatches.
struct CheckBlock {
  CUdeviceptr data;
  std::int32_t row_count;
  std::int32_t mismatches;
  std::array<Row, kRankLimit> rows;
};
static_assert(sizeof(CheckBlock) == 144 && offsetof(CheckBlock, rows) == 16);

/// Parameters of the reduce kernel: the pieces to add up.
struct ReduceBlock {
  CUdeviceptr target;
  std::array<CUdeviceptr, kRankLimit> pieces;
  std::int32_t piece_count;
  std::int32_t count;
};
static_assert(sizeof(ReduceBlock) == 80);

inline constexpr std::uint32_t kElementBytes = sizeof(std::int32_t);
inline constexpr std::size_t kBlockBytes = 256;  ///< Bytes per request, enough for either block.

/// Scratch of one slot: two halves for the steps of a ring, or the whole source.
inline constexpr std::size_t kScratchBytes = 512;
inline constexpr std::size_t kScratchHalf = kScratchBytes / 2;
/// Maximum number of elements that a ring passes on in one step.
inline constexpr std::uint32_t kFragmentElements = 2;
static_assert(kScratchBytes >= kBufferElements * sizeof(std::int32_t));

}  // namespace targets::alltoallv
