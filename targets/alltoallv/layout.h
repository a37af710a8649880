// SPDX-License-Identifier: Apache-2.0
// Layout: what is in device memory, as the host writes it. kernel.cu has its own copy, because a
// kernel shares no header with the host; the sizes are asserted on both sides.
#pragma once

#include <cuda.h>

#include <cstddef>

#include "targets/alltoallv/alltoallv.h"

namespace targets::alltoallv {

/// A few elements of a buffer for each thread.
constexpr std::uint32_t block_threads(std::uint32_t element_count) { return element_count / 3; }

/// The rows with which the check kernel compares, and how many differences it found.
struct CheckBlock {
  CUdeviceptr data;
  std::int32_t row_count;
  std::int32_t mismatches;
  std::array<Row, kRankLimit> rows;
};
static_assert(sizeof(CheckBlock) == 144 && offsetof(CheckBlock, rows) == 16);

/// The pieces that the reduce kernel adds up.
struct ReduceBlock {
  CUdeviceptr target;
  std::array<CUdeviceptr, kRankLimit> pieces;
  std::int32_t piece_count;
  std::int32_t count;
};
static_assert(sizeof(ReduceBlock) == 80);

inline constexpr std::size_t kBlockBytes = 256;  ///< Per request: room for either.

/// Scratch of one slot: two halves for the steps of a ring, or the whole source.
inline constexpr std::size_t kScratchBytes = 512;
inline constexpr std::size_t kScratchHalf = kScratchBytes / 2;
/// Largest number of elements that a ring passes on in one step.
inline constexpr std::uint32_t kFragmentElements = 2;
static_assert(kScratchBytes >= kBufferElements * sizeof(std::int32_t));

}  // namespace targets::alltoallv
