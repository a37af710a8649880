// SPDX-License-Identifier: Apache-2.0
// Layout: data structures in device memory, as the host writes them. kernel.cu has its own copy,
// because a kernel shares no header with the host; the size is asserted on both sides.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>

#include "targets/graph_argument/graph_argument.h"

namespace targets::graph_argument {

inline constexpr std::uint32_t kBlockCount = 2;
inline constexpr std::uint32_t kBlockThreads = 32;
static_assert(kBlockCount * kBlockThreads == kBlockWords, "one element per CUDA thread");

using Words = std::array<std::int32_t, kBlockWords>;

/// Content of a buffer. `in` is written once, when the buffer is allocated.
struct Block {
  Words in;
  Words mid;  ///< Written by `produce`.
  Words out;  ///< Written by all other kernels, copies and sets.
  CUdeviceptr next;
};
static_assert(sizeof(Block) == 776);

/// Maximum number of links that `chase` follows.
inline constexpr std::uint32_t kChaseSteps = 4;

inline constexpr float kSaxpyFactor = 1.5f;

/// Entries of the kernels, in the order of kEntryNames.
enum class Entry : std::uint8_t {
  add_one,
  saxpy,
  block_sum,
  produce,
  consume,
  chase,
  captured,
  scratch,
  leave
};
inline constexpr std::size_t kEntryCount = 9;
inline constexpr std::array<const char*, kEntryCount> kEntryNames{
    "add_one", "saxpy", "block_sum", "produce", "consume", "chase", "captured", "scratch", "leave"};

}  // namespace targets::graph_argument
