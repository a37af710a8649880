// SPDX-License-Identifier: Apache-2.0
// The seam: the CUDA driver API as the harness defines it, and the table of functions behind it.
//
// A target calls cuMemAllocAsync as usual. Our definition announces the call and offers a turn, may
// inject an error, records the call, and passes it to the device of the current world, which checks
// it against the ledger and executes it.
//
// Threads: within a run, the run's thread. A program without a world (one that loaded our
// libcuda.so.1) gets a process-wide one, with default choices, one call at a time.
#pragma once

#include <cuda.h>

#include <cstddef>

#include "harness/core/pick/pick.h"
#include "harness/core/world.h"
#include "harness/driver/cuda/host_work.h"

namespace harness {

/// The state that a call requires. Without it the device returns an error.
enum class CallNeeds : std::uint8_t { nothing, driver, context };

/// The arguments of afterlifeLaunchHostWork, except for its stream.
struct HostWorkLaunch {
  const char* name;
  AfterlifeHostWork function;
  void* data;
  void (*release)(void*);
  const AfterlifeRange* ranges;
  std::size_t range_count;
};

/// The functions that execute the calls: one for each row of cuda.def.
struct DriverTable {
#define CUDA_ROW(name, base, since, flavour, needs, turn, failure, parameters, arguments) \
  CUresult(*name) parameters;
#include "harness/driver/cuda/cuda.def"

  /// Returns an error unless the caller may call now: after cuInit, with a current context, and
  /// outside of host functions. Null if the device checks that itself.
  CUresult (*admit)(CallNeeds needs);

  /// Names the resource that work on this stream touches. Must accept any value. Null: every call
  /// touches the device as a whole.
  Resource (*resource)(CUstream stream);

  /// Launches a kernel whose body is a function of the host. Null if the device has no such
  /// kernels.
  CUresult (*launch_host_work)(CUstream stream, const HostWorkLaunch& given);
};

/// The resource of calls that belong to no stream.
inline constexpr Resource kDeviceResource = hash_name("device");

/// Returns a small number for the calling thread as CUDA distinguishes threads. Tasks are threads,
/// and code outside of tasks is thread 0. Context stacks and per-thread default streams use it.
std::size_t calling_thread(const World& world);

/// The stream that a launch configuration names.
inline CUstream stream_of(const CUlaunchConfig* config) {
  return config != nullptr ? config->hStream : nullptr;
}

/// Returns the stream that stream 0 means in the per-thread default stream twins.
inline CUstream per_thread(CUstream stream) {
  return stream == nullptr ? CU_STREAM_PER_THREAD : stream;
}

/// Finds our entry point for cuGetProcAddress: the newest one of a CUDA version up to `version`.
/// Returns null if there is none; `known` then says whether a later version has one.
void* find_entry_point(const char* base, int version, bool per_thread_default_stream, bool& known);

/// Serves programs without a world by the device that `make` creates at the first call.
/// libcuda.so.1 calls it when it is loaded; in our own programs such a call is an error.
/// `find_other` finds functions for cuGetProcAddress that are not in cuda.def; may be null.
void serve_process(Device* (*make)(), void* (*find_other)(const char* base) = nullptr);

}  // namespace harness
