// SPDX-License-Identifier: Apache-2.0
// The functions of the pass-through. Most check their handles and call the driver's function.
// Functions that begin or end lifetimes, or take addresses, are defined in calls.cpp.
#pragma once

#include "harness/devices/gpu/gpu_device.h"

namespace harness::devices::gpu_calls {

using Kind = GpuDevice::Kind;

inline CUresult check(GpuDevice& gpu, CUmodule handle) { return gpu.check(Kind::module, handle); }
inline CUresult check(GpuDevice& gpu, CUevent handle) {
  const CUresult error = gpu.check(Kind::event, handle);
  const CUevent exported = gpu.imports().exported(handle);
  return error != CUDA_SUCCESS || exported == nullptr ? error : gpu.check(Kind::event, exported);
}
inline CUresult check(GpuDevice& gpu, CUmemoryPool handle) { return gpu.check(Kind::pool, handle); }
inline CUresult check(GpuDevice& gpu, CUlibrary handle) { return gpu.check(Kind::library, handle); }
inline CUresult check(GpuDevice& gpu, CUarray handle) { return gpu.check(Kind::array, handle); }
inline CUresult check(GpuDevice& gpu, CUmipmappedArray handle) {
  return gpu.check(Kind::mipmapped_array, handle);
}
inline CUresult check(GpuDevice& gpu, CUgraph handle) { return gpu.check(Kind::graph, handle); }
inline CUresult check(GpuDevice& gpu, CUgraphNode handle) {
  return gpu.check(Kind::graph_node, handle);
}
inline CUresult check(GpuDevice& gpu, CUgraphExec handle) {
  return gpu.check(Kind::graph_exec, handle);
}
inline CUresult check(GpuDevice& gpu, CUstream handle) {
  const bool is_default =
      handle == nullptr || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD;
  return is_default ? CUDA_SUCCESS : gpu.check(Kind::stream, handle);
}
/// Returns whether a launch would record a shareable event, which is not allowed. The driver cannot
/// check this, because our shareable events are ordinary ones to it.
inline bool is_shared(GpuDevice& gpu, const CUlaunchAttribute& attribute) {
  if (attribute.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT)
    return gpu.imports().is_shareable(attribute.value.programmaticEvent.event);
  return attribute.id == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT &&
         gpu.imports().is_shareable(attribute.value.launchCompletionEvent.event);
}
inline CUresult check(GpuDevice& gpu, const CUlaunchConfig* config) {
  for (unsigned i = 0; config != nullptr && config->attrs != nullptr && i < config->numAttrs; ++i)
    if (is_shared(gpu, config->attrs[i])) return CUDA_ERROR_NOT_SUPPORTED;
  return check(gpu, stream_of(config));
}
template <class T>
CUresult check(GpuDevice&, T) {
  return CUDA_SUCCESS;
}

/// Returns the event to pass to the driver: the exported one, if the event was opened.
inline CUevent real(GpuDevice& gpu, CUevent event) {
  const CUevent exported = gpu.imports().exported(event);
  return exported != nullptr ? exported : event;
}
template <class T>
T real(GpuDevice&, T argument) {
  return argument;
}

/// Calls the driver's function after checking that every handle among the arguments is alive.
template <auto kFunction, class... Arguments>
CUresult pass(Arguments... arguments) {
  GpuDevice& gpu = GpuDevice::current();
  CUresult error = CUDA_SUCCESS;
  ((error = error != CUDA_SUCCESS ? error : check(gpu, arguments)), ...);
  return error != CUDA_SUCCESS ? error : (gpu.driver().*kFunction)(real(gpu, arguments)...);
}

/// Makes a call, then runs the callbacks that the driver has requested.
template <auto kCall, class... Arguments>
CUresult served(Arguments... arguments) {
  const CUresult status = kCall(arguments...);
  Callbacks::of_process().serve();
  return status;
}

/// Ends a lifetime, then the object. The handle may be a number.
template <auto kFunction, Kind kKind, class Handle>
CUresult destroy(Handle handle) {
  GpuDevice& gpu = GpuDevice::current();
  const CUresult error = gpu.died(kKind, (const void*)handle);
  return error != CUDA_SUCCESS ? error : (gpu.driver().*kFunction)(handle);
}

/// Does the same if the driver may refuse (in a capture, or for some nodes). The object then stays
/// alive.
template <auto kFunction, Kind kKind, class Handle>
CUresult unload(Handle handle) {
  GpuDevice& gpu = GpuDevice::current();
  if (!gpu.lives(handle)) return destroy<kFunction, kKind>(handle);
  const CUresult status = (gpu.driver().*kFunction)(handle);
  return status == CUDA_SUCCESS ? gpu.died(kKind, handle) : status;
}

// ---- functions of the program -----------------------------------------------------------------

using HostFunction = CUDA_HOST_NODE_PARAMS;

/// Returns the function to pass to the driver in place of a function (callbacks.h).
HostFunction noted_later(const HostFunction& given);

/// Does the same for a node of any type: copies the parameters of a host node, and passes others
/// unchanged.
class NotedLater {
 public:
  explicit NotedLater(CUgraphNodeParams* given);
  CUgraphNodeParams* params() { return params_; }

 private:
  CUgraphNodeParams copy_{};
  CUgraphNodeParams* params_;
};

/// Returns whether a stream captures. The driver then handles the call, and nothing happens now.
inline bool captures(GpuDevice& gpu, CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return gpu.driver().cuStreamIsCapturing(stream, &status) != CUDA_SUCCESS ||
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

/// Adds the functions that take callbacks. A part of add_own_functions(), like the next three.
void add_host_functions(DriverTable& table);
/// Adds the functions for inter-process communication.
void add_ipc(DriverTable& table);
/// Adds the functions for reserved addresses and their mappings.
void add_virtual_memory(DriverTable& table);
/// Adds the functions for arrays, textures and surfaces.
void add_arrays(DriverTable& table);

/// Adds the functions that do more than pass a call through.
void add_own_functions(DriverTable& table);
void add_graph_functions(DriverTable& table);

}  // namespace harness::devices::gpu_calls
