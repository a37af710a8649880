// The seam: the CUDA driver API as the harness defines it, and the table of functions behind it.
//
// A target calls cuMemAllocAsync as it would anywhere. Our definition of it announces the call and
// offers the turn, may be told to fail, records the call, and hands it to the current world's
// device, which checks it against the ledger and carries it out.
//
// Threads: within a run, the run's thread. A program without a world of its own (one that loaded
// our libcuda.so.1) gets a process-wide one, on the plain strategy, one call at a time.
#pragma once

#include <cuda.h>

#include <cstddef>

#include "harness/cuda/host_work.h"
#include "harness/pick.h"
#include "harness/world.h"

namespace harness {

/// The state that a call needs before it can be made; without it the device answers with an error.
enum class CallNeeds : std::uint8_t { nothing, driver, context };

/// The arguments of afterlifeLaunchHostWork, but for its stream.
struct HostWorkLaunch {
  const char* name;
  AfterlifeHostWork function;
  void* data;
  void (*release)(void*);
  const AfterlifeRange* ranges;
  std::size_t range_count;
};

/// The functions that carry out the calls: one per row of cuda.def.
struct DriverTable {
#define CUDA_ROW(name, base, since, flavour, needs, turn, failure, parameters, arguments) \
  CUresult(*name) parameters;
#include "harness/cuda.def"

  /// Whether the caller may call at all now: cuInit was called, a context is current, and it is not
  /// a host function that asks. Null when the device answers that itself.
  CUresult (*admit)(CallNeeds needs);

  /// Names the resource that work on this stream touches. Must accept any value. Null: the device
  /// as a whole is what every call touches.
  Resource (*resource)(CUstream stream);

  /// Launches a kernel whose body is a function of the host's. Null: the device has no such.
  CUresult (*launch_host_work)(CUstream stream, const HostWorkLaunch& given);
};

/// The resource that calls which concern no stream of their own touch.
inline constexpr Resource kDeviceResource = hash_name("device");

/// The calling thread as CUDA tells threads apart, by a small number: tasks are threads; what runs
/// outside any task is thread 0. Context stacks and per-thread default streams are kept by it.
std::size_t calling_thread(const World& world);

/// The stream that a launch configuration names.
inline CUstream stream_of(const CUlaunchConfig* config) {
  return config != nullptr ? config->hStream : nullptr;
}

/// Returns the stream that stream 0 means in the per-thread default stream twins.
inline CUstream per_thread(CUstream stream) {
  return stream == nullptr ? CU_STREAM_PER_THREAD : stream;
}

/// Finds our entry point for cuGetProcAddress: the newest whose interface `version` knows. Null
/// when there is none; `known` then tells whether a newer version would have found one.
void* find_entry_point(const char* base, int version, bool per_thread_default_stream, bool& known);

/// Makes programs that have no world of their own be served by the device that `make` makes, once
/// they call. libcuda.so.1 says so when it is loaded; in our own programs such a call is a mistake.
/// `find_other` finds what cuGetProcAddress is asked for and cuda.def has no row of; or is null.
void serve_process(Device* (*make)(), void* (*find_other)(const char* base) = nullptr);

}  // namespace harness
