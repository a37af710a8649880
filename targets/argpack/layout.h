// SPDX-License-Identifier: Apache-2.0
// Layout: data structures in device memory, as the host writes them. kernel.cu has its own copy,
// because a kernel shares no header with the host; the sizes are asserted on both sides.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>

#include "targets/argpack/argpack.h"

namespace targets::argpack {

inline constexpr std::uint32_t kBlockCount = 2;
inline constexpr std::uint32_t kBlockThreads = 32;
static_assert(kBlockCount * kBlockThreads == kArrayWords, "one element per CUDA thread");

/// Device memory of an ArgPack: its scalar member a, and the address of its nested pack c.
struct PackBlock {
  std::int32_t a;
  std::int32_t unused;
  CUdeviceptr c;
};
static_assert(sizeof(PackBlock) == 16 && offsetof(PackBlock, c) == 8);

/// The argument buffer of one launch.
struct ArgumentBlock {
  CUdeviceptr pack;
  CUdeviceptr array;
  CUdeviceptr gradient;
  CUdeviceptr external;
  std::array<CUdeviceptr, kDepthLimit> bound;  ///< gfx binds each pack separately.
  std::int32_t scalar;
  std::int32_t unused;
};
static_assert(sizeof(ArgumentBlock) == 64);

/// An external array: the kernel's input and its output.
struct ExternalBlock {
  std::array<float, kArrayWords> in;
  std::array<float, kArrayWords> out;
};

/// The kernel's results, by thread.
struct ResultBlock {
  std::array<std::int32_t, kArrayWords> pack;
  std::array<std::int32_t, kArrayWords> array;
  std::array<float, kArrayWords> in;
  std::array<float, kArrayWords> out;
};
static_assert(sizeof(ResultBlock) == 1024);

/// Passed by value, as in Taichi. It fits in two registers; a larger one would be in memory, where
/// each access is checked.
struct RuntimeContext {
  CUdeviceptr arguments;
  CUdeviceptr results;
};
static_assert(sizeof(RuntimeContext) == 16);

/// All parameters of a launch.
struct KernelParameters {
  RuntimeContext context;
  std::int32_t depth;
  std::int32_t flags;
};

enum RuntimeFlags : std::int32_t {
  kUsesArray = 1,
  kUsesGradient = 2,
  kUsesExternal = 4,
  kUsesScalar = 8
};

}  // namespace targets::argpack
