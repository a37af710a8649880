// SPDX-License-Identifier: Apache-2.0
// Vocabulary: the basic types of scripts, the path and its facts.
#pragma once

#include <array>
#include <cstdint>

#include "harness/driver/runtime.h"

namespace targets::argpack {

enum class Backend : std::uint8_t {
  cpu,         ///< One mapping per allocation, unmapped at once; kernels run before launch returns.
  cuda_pool,   ///< Stream-ordered pool on the null stream.
  cuda_cache,  ///< A caching allocator: a freed block is reused at once, best fit.
  amdgpu,      ///< Synchronous allocation and free.
  gfx,         ///< A command list, in-use sets, counted buffers; allocation ids are reused.
};
inline constexpr std::array<harness::Label, 5> kBackendLabels{"cpu", "cuda_pool", "cuda_cache",
                                                              "amdgpu", "gfx"};

/// Returns whether a launch follows the gradient that is bound to it. gfx and amdgpu pass the host
/// address of its handle as if it were a device address: their kernels must not access it.
constexpr bool follows_gradients(Backend backend) {
  return backend != Backend::amdgpu && backend != Backend::gfx;
}
/// Returns whether torch's device memory is used in place. Other backends use a host copy.
constexpr bool takes_device_memory(Backend backend) {
  return backend == Backend::cuda_pool || backend == Backend::cuda_cache;
}

/// Result of a method, corresponding to a Python exception.
enum class Status : std::uint8_t {
  ok,
  name_error,       ///< The variable is empty.
  type_error,       ///< It holds another type, or the pack has no such member.
  no_program,       ///< ti.init() has not run.
  stale_object,     ///< Refused: the wrapper is from before the last reset().
  argument_limit,   ///< Too many arguments; raised after they were set, before the launch.
  unbound,          ///< The context has no pack, or was not compiled.
  driver_error,     ///< A CUDA call failed.
  buffer_error,     ///< Like BufferError: the storage is exported and cannot be resized.
  context_spent,    ///< The context was already launched, but is single use.
  context_invalid,  ///< The program that made the context has been reset.
  /// The device has no such id: "invalid DeviceAllocation". Its table ended with its program.
  invalid_allocation,
};
harness::Label to_label(Status status);

/// A global variable of the script, by number. Shared by all tasks, as a module's globals are.
using Variable = std::uint32_t;
inline constexpr std::uint32_t kVariableCount = 12;
inline constexpr Variable kNothing = 0xffffffff;  ///< For an omitted argument.

enum class Kind : std::uint8_t { nothing, pack, ndarray, external, context };

inline constexpr std::uint32_t kDepthLimit = 3;   ///< Packs within packs: p, p.c, p.c.c.
inline constexpr std::uint32_t kArrayWords = 64;  ///< Elements of each array; one per CUDA thread.

/// Maximum number of later launches before the objects of a launch are released.
inline constexpr std::uint32_t kHoldLimit = 8;

/// Place of an external array's memory.
enum class Storage : std::uint8_t {
  host,    ///< numpy: copied to the device before the kernel, and back after it.
  device,  ///< torch on a separate stream, freed on it: used in place, or by a host copy.
};

/// Action of a planted finalizer when the collector finds it.
enum class FinalizerAction : std::uint8_t {
  replace_nested,  ///< victim.c = a new pack
  drop,            ///< del victim
  drop_gradient,   ///< victim.grad = None
  resize,          ///< victim.resize(...): an external array
  collect,         ///< gc.collect()
  reset,           ///< ti.reset(); ti.init()
};
inline constexpr std::uint32_t kFinalizerActionCount = 6;

}  // namespace targets::argpack
