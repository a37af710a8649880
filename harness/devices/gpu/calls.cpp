// SPDX-License-Identifier: Apache-2.0
// Calls that create, use or destroy objects, and the state of threads, which is kept for each task.
#include "harness/devices/gpu/calls.h"

namespace harness::devices::gpu_calls {

namespace {

using Origin = GpuDevice::Origin;

// ---- contexts ---------------------------------------------------------------------------------

CUresult retain_primary(CUcontext* context, CUdevice device) {
  GpuDevice& gpu = GpuDevice::current();
  const bool was_active = gpu.primary().is_active();
  const CUresult status = gpu.primary().retain(context, device);
  if (status == CUDA_SUCCESS && !was_active) gpu.born(Kind::context, *context);
  return status;
}

CUresult release_primary(CUdevice device) {
  GpuDevice& gpu = GpuDevice::current();
  const bool was_active = gpu.primary().is_active();
  const CUresult status = gpu.primary().release(device);
  if (status != CUDA_SUCCESS || !was_active || gpu.primary().is_active()) return status;
  gpu.died(Kind::context, gpu.primary().handle());
  gpu.context_ended();
  return status;
}

CUresult reset_primary(CUdevice device) {
  GpuDevice& gpu = GpuDevice::current();
  const bool was_active = gpu.primary().is_active();
  const CUresult status = gpu.primary().reset(device);
  if (status != CUDA_SUCCESS || !was_active) return status;
  gpu.died(Kind::context, gpu.primary().handle());
  gpu.context_ended();
  return status;
}

/// Active means that the run has retained it.
CUresult primary_state(CUdevice device, unsigned* flags, int* active) {
  GpuDevice& gpu = GpuDevice::current();
  const CUresult status = gpu.driver().cuDevicePrimaryCtxGetState(device, flags, active);
  if (status == CUDA_SUCCESS) *active = gpu.primary().is_active() ? 1 : 0;
  return status;
}

template <auto kFunction, class... Arguments>
CUresult create_context(CUcontext* context, Arguments... arguments) {
  GpuDevice& gpu = GpuDevice::current();
  const CUresult status = (gpu.driver().*kFunction)(context, arguments...);
  if (status != CUDA_SUCCESS) return status;
  gpu.born(Kind::context, *context);
  gpu.context_stack().push_back(*context);
  gpu.switch_context();
  return status;
}

// Not supported: the driver counts the users of such a context, so we could not see when it ends.
CUresult attach_context(CUcontext*, unsigned) { return CUDA_ERROR_NOT_SUPPORTED; }
CUresult detach_context(CUcontext) { return CUDA_ERROR_NOT_SUPPORTED; }

CUresult destroy_context(CUcontext context) {
  GpuDevice& gpu = GpuDevice::current();
  if (context == gpu.primary().handle() && context != nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (const CUresult error = gpu.died(Kind::context, context); error != CUDA_SUCCESS) return error;
  const CUresult status = gpu.driver().cuCtxDestroy_v2(context);
  if (status != CUDA_SUCCESS) return status;
  std::vector<CUcontext>& stack = gpu.context_stack();
  if (!stack.empty() && stack.back() == context) stack.pop_back();
  gpu.switch_context();
  gpu.context_ended();
  return status;
}

CUresult set_context(CUcontext context) {
  GpuDevice& gpu = GpuDevice::current();
  if (const CUresult error = gpu.check(Kind::context, context); error != CUDA_SUCCESS) return error;
  std::vector<CUcontext>& stack = gpu.context_stack();
  if (!stack.empty()) stack.pop_back();
  if (context != nullptr) stack.push_back(context);
  return gpu.switch_context();
}

CUresult get_context(CUcontext* context) {
  if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const std::vector<CUcontext>& stack = GpuDevice::current().context_stack();
  *context = stack.empty() ? nullptr : stack.back();
  return CUDA_SUCCESS;
}

CUresult push_context(CUcontext context) {
  GpuDevice& gpu = GpuDevice::current();
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (const CUresult error = gpu.check(Kind::context, context); error != CUDA_SUCCESS) return error;
  gpu.context_stack().push_back(context);
  return gpu.switch_context();
}

CUresult pop_context(CUcontext* context) {
  GpuDevice& gpu = GpuDevice::current();
  std::vector<CUcontext>& stack = gpu.context_stack();
  if (stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  if (context != nullptr) *context = stack.back();
  stack.pop_back();
  return gpu.switch_context();
}

/// Sets something that belongs to a context.
template <auto kFunction, class... Arguments>
CUresult change_context(Arguments... arguments) {
  GpuDevice::current().primary().change();
  return pass<kFunction>(arguments...);
}

// ---- handles ----------------------------------------------------------------------------------

/// Calls `kFunction`, which creates the handle that its first argument points at.
template <auto kFunction, Kind kKind, class Handle, class... Arguments>
CUresult make(Handle* handle, Arguments... arguments) {
  GpuDevice& gpu = GpuDevice::current();
  const CUresult status = (gpu.driver().*kFunction)(handle, arguments...);
  if (status == CUDA_SUCCESS) gpu.born(kKind, *handle);
  return status;
}

// ---- memory -----------------------------------------------------------------------------------

template <auto kFunction, Origin kOrigin, class Address, class... Arguments>
CUresult allocate(Address* address, std::size_t bytes, Arguments... arguments) {
  GpuDevice& gpu = GpuDevice::current();
  CUresult status = CUDA_SUCCESS;
  ((status = status != CUDA_SUCCESS ? status : check(gpu, arguments)), ...);
  if (status == CUDA_SUCCESS) status = (gpu.driver().*kFunction)(address, bytes, arguments...);
  if (status == CUDA_SUCCESS && bytes != 0)  // Zero bytes have no address.
    gpu.allocated(kOrigin, (std::uint64_t)*address, bytes);
  return status;
}

/// The lifetime ends at the call, even if the stream reaches the free only later.
template <auto kFunction, class Address, class... Arguments>
CUresult free_memory(Address address, Arguments... arguments) {
  GpuDevice& gpu = GpuDevice::current();
  CUresult error = CUDA_SUCCESS;
  ((error = error != CUDA_SUCCESS ? error : check(gpu, arguments)), ...);
  if (error != CUDA_SUCCESS) return error;
  return gpu.free((std::uint64_t)address, Origin::device,
                  [&] { return (gpu.driver().*kFunction)(address, arguments...); });
}

CUresult allocate_rows(CUdeviceptr* address, std::size_t* pitch, std::size_t row_bytes,
                       std::size_t height, unsigned element_bytes) {
  GpuDevice& gpu = GpuDevice::current();
  const CUresult status =
      gpu.driver().cuMemAllocPitch_v2(address, pitch, row_bytes, height, element_bytes);
  if (status == CUDA_SUCCESS) gpu.allocated(Origin::device, *address, *pitch * height);
  return status;
}

CUresult register_host(void* host, std::size_t bytes, unsigned flags) {
  GpuDevice& gpu = GpuDevice::current();
  const CUresult status = gpu.driver().cuMemHostRegister_v2(host, bytes, flags);
  if (status == CUDA_SUCCESS)
    gpu.allocated(Origin::registered, reinterpret_cast<std::uint64_t>(host), bytes);
  return status;
}

CUresult unregister_host(void* host) {
  GpuDevice& gpu = GpuDevice::current();
  const CUresult status = gpu.driver().cuMemHostUnregister(host);
  if (status != CUDA_SUCCESS) return status;
  return gpu.free(reinterpret_cast<std::uint64_t>(host), Origin::registered,
                  [] { return CUDA_SUCCESS; });
}

/// Memory allocated by a capturing stream belongs to the graph, and begins with each launch.
template <auto kFunction, class... Pool>
CUresult allocate_async(CUdeviceptr* address, std::size_t bytes, Pool... pool, CUstream stream) {
  GpuDevice& gpu = GpuDevice::current();
  if (const CUresult error = check(gpu, stream); error != CUDA_SUCCESS) return error;
  if (!captures(gpu, stream))
    return allocate<kFunction, Origin::pool>(address, bytes, pool..., stream);
  const CUresult status = pass<kFunction>(address, bytes, pool..., stream);
  if (status == CUDA_SUCCESS) gpu.reserved(*address);
  return status;
}

CUresult free_async(CUdeviceptr address, CUstream stream) {
  GpuDevice& gpu = GpuDevice::current();
  if (const CUresult error = check(gpu, stream); error != CUDA_SUCCESS) return error;
  const bool is_drivers = address == 0 || captures(gpu, stream);  // No allocation ends here.
  return is_drivers ? gpu.driver().cuMemFreeAsync(address, stream)
                    : free_memory<&DriverTable::cuMemFreeAsync>(address, stream);
}

template <auto kFunction, class Target, class Source, class... Arguments>
CUresult copy(Target target, Source source, std::size_t bytes, Arguments... arguments) {
  GpuDevice& gpu = GpuDevice::current();
  CUresult error = gpu.check((std::uint64_t)target, bytes);
  if (error == CUDA_SUCCESS) error = gpu.check((std::uint64_t)source, bytes);
  ((error = error != CUDA_SUCCESS ? error : check(gpu, arguments)), ...);
  return error != CUDA_SUCCESS ? error
                               : (gpu.driver().*kFunction)(target, source, bytes, arguments...);
}

/// Checks each copy, up to a limit of copies.
CUresult copy_batch(CUdeviceptr* targets, CUdeviceptr* sources, std::size_t* sizes,
                    std::size_t count, CUmemcpyAttributes* attributes, std::size_t* first_of,
                    std::size_t attribute_count, CUstream stream) {
  constexpr std::size_t kCountLimit = 4096;
  if (count > kCountLimit) return CUDA_ERROR_INVALID_VALUE;
  GpuDevice& gpu = GpuDevice::current();
  CUresult error = check(gpu, stream);
  const bool there = targets != nullptr && sources != nullptr && sizes != nullptr;
  for (std::size_t i = 0; there && i < count && error == CUDA_SUCCESS; ++i) {
    error = gpu.check(targets[i], sizes[i]);
    if (error == CUDA_SUCCESS) error = gpu.check(sources[i], sizes[i]);
  }
  return error != CUDA_SUCCESS
             ? error
             : gpu.driver().cuMemcpyBatchAsync_v2(targets, sources, sizes, count, attributes,
                                                  first_of, attribute_count, stream);
}

template <auto kFunction, class Value, class... Arguments>
CUresult set(CUdeviceptr target, Value value, std::size_t count, Arguments... arguments) {
  GpuDevice& gpu = GpuDevice::current();
  CUresult error = gpu.check(target, count * sizeof(Value));
  ((error = error != CUDA_SUCCESS ? error : check(gpu, arguments)), ...);
  return error != CUDA_SUCCESS ? error
                               : (gpu.driver().*kFunction)(target, value, count, arguments...);
}

/// Checks only the first row, like copies of rows do; the driver checks the rest.
template <auto kFunction, class Value, class... Arguments>
CUresult set_rows(CUdeviceptr target, std::size_t pitch, Value value, std::size_t width,
                  std::size_t height, Arguments... arguments) {
  GpuDevice& gpu = GpuDevice::current();
  CUresult error = gpu.check(target, height == 0 ? 0 : width * sizeof(Value));
  ((error = error != CUDA_SUCCESS ? error : check(gpu, arguments)), ...);
  return error != CUDA_SUCCESS
             ? error
             : (gpu.driver().*kFunction)(target, pitch, value, width, height, arguments...);
}

CUresult prefetch(CUdeviceptr address, std::size_t bytes, CUmemLocation location, unsigned flags,
                  CUstream stream) {
  GpuDevice& gpu = GpuDevice::current();
  CUresult error = check(gpu, stream);
  if (error == CUDA_SUCCESS) error = gpu.check(address, 1);
  return error != CUDA_SUCCESS
             ? error
             : gpu.driver().cuMemPrefetchAsync_v2(address, bytes, location, flags, stream);
}

CUresult advise(CUdeviceptr address, std::size_t bytes, CUmem_advise advice,
                CUmemLocation location) {
  GpuDevice& gpu = GpuDevice::current();
  const CUresult error = gpu.check(address, 1);
  return error != CUDA_SUCCESS ? error
                               : gpu.driver().cuMemAdvise_v2(address, bytes, advice, location);
}

template <auto kFunction, class Value>
CUresult memory_op(CUstream stream, CUdeviceptr address, Value value, unsigned flags) {
  GpuDevice& gpu = GpuDevice::current();
  CUresult error = check(gpu, stream);
  if (error == CUDA_SUCCESS) error = gpu.check(address, sizeof(Value));
  return error != CUDA_SUCCESS ? error : (gpu.driver().*kFunction)(stream, address, value, flags);
}

}  // namespace

#define OWN(name, ...) table.name = __VA_ARGS__

static void add_contexts_and_handles(DriverTable& table) {
  using T = DriverTable;
  OWN(cuDevicePrimaryCtxRetain, retain_primary);
  OWN(cuDevicePrimaryCtxRelease_v2, release_primary);
  OWN(cuDevicePrimaryCtxReset_v2, reset_primary);
  OWN(cuDevicePrimaryCtxGetState, primary_state);
  OWN(cuDevicePrimaryCtxSetFlags_v2, change_context<&T::cuDevicePrimaryCtxSetFlags_v2>);
  OWN(cuCtxSetFlags, change_context<&T::cuCtxSetFlags>);
  OWN(cuCtxSetLimit, change_context<&T::cuCtxSetLimit>);
  OWN(cuCtxSetCacheConfig, change_context<&T::cuCtxSetCacheConfig>);
  OWN(cuCtxCreate_v2, create_context<&T::cuCtxCreate_v2>);
  OWN(cuCtxCreate_v3, create_context<&T::cuCtxCreate_v3>);
  OWN(cuCtxCreate_v4, create_context<&T::cuCtxCreate_v4>);
  OWN(cuCtxAttach, attach_context);
  OWN(cuCtxDetach, detach_context);
  OWN(cuCtxDestroy_v2, destroy_context);
  OWN(cuCtxSetCurrent, set_context);
  OWN(cuCtxGetCurrent, get_context);
  OWN(cuCtxPushCurrent_v2, push_context);
  OWN(cuCtxPopCurrent_v2, pop_context);
  OWN(cuModuleLoadData, make<&T::cuModuleLoadData, Kind::module>);
  OWN(cuModuleLoadDataEx, make<&T::cuModuleLoadDataEx, Kind::module>);
  OWN(cuModuleUnload, unload<&T::cuModuleUnload, Kind::module>);
  OWN(cuStreamCreate, make<&T::cuStreamCreate, Kind::stream>);
  OWN(cuStreamCreateWithPriority, make<&T::cuStreamCreateWithPriority, Kind::stream>);
  OWN(cuStreamDestroy_v2, destroy<&T::cuStreamDestroy_v2, Kind::stream>);
  OWN(cuMemPoolCreate, make<&T::cuMemPoolCreate, Kind::pool>);
  OWN(cuMemPoolDestroy, unload<&T::cuMemPoolDestroy, Kind::pool>);
}

static void add_memory(DriverTable& table) {
  using T = DriverTable;
  OWN(cuMemAlloc_v2, allocate<&T::cuMemAlloc_v2, Origin::device>);
  OWN(cuMemAllocPitch_v2, allocate_rows);
  OWN(cuMemAllocManaged, allocate<&T::cuMemAllocManaged, Origin::device>);
  OWN(cuMemHostAlloc, allocate<&T::cuMemHostAlloc, Origin::host>);
  OWN(cuMemAllocHost_v2, allocate<&T::cuMemAllocHost_v2, Origin::host>);
  OWN(cuMemAllocAsync, allocate_async<&T::cuMemAllocAsync>);
  OWN(cuMemAllocFromPoolAsync, allocate_async<&T::cuMemAllocFromPoolAsync, CUmemoryPool>);
  OWN(cuMemHostRegister_v2, register_host);
  OWN(cuMemHostUnregister, unregister_host);
  OWN(cuMemFree_v2, free_memory<&T::cuMemFree_v2>);
  OWN(cuMemFreeHost, free_memory<&T::cuMemFreeHost>);
  OWN(cuMemFreeAsync, free_async);
  OWN(cuMemPrefetchAsync_v2, prefetch);
  OWN(cuMemAdvise_v2, advise);
  OWN(cuStreamWaitValue32_v2, memory_op<&T::cuStreamWaitValue32_v2>);
  OWN(cuStreamWaitValue64_v2, memory_op<&T::cuStreamWaitValue64_v2>);
  OWN(cuStreamWriteValue32_v2, memory_op<&T::cuStreamWriteValue32_v2>);
  OWN(cuStreamWriteValue64_v2, memory_op<&T::cuStreamWriteValue64_v2>);
}

static void add_copies(DriverTable& table) {
  using T = DriverTable;
  OWN(cuMemcpy, copy<&T::cuMemcpy>);
  OWN(cuMemcpy_ptds, copy<&T::cuMemcpy_ptds>);
  OWN(cuMemcpyHtoD_v2, copy<&T::cuMemcpyHtoD_v2>);
  OWN(cuMemcpyHtoD_v2_ptds, copy<&T::cuMemcpyHtoD_v2_ptds>);
  OWN(cuMemcpyHtoDAsync_v2, copy<&T::cuMemcpyHtoDAsync_v2>);
  OWN(cuMemcpyDtoH_v2, copy<&T::cuMemcpyDtoH_v2>);
  OWN(cuMemcpyDtoH_v2_ptds, copy<&T::cuMemcpyDtoH_v2_ptds>);
  OWN(cuMemcpyDtoHAsync_v2, copy<&T::cuMemcpyDtoHAsync_v2>);
  OWN(cuMemcpyDtoD_v2, copy<&T::cuMemcpyDtoD_v2>);
  OWN(cuMemcpyDtoD_v2_ptds, copy<&T::cuMemcpyDtoD_v2_ptds>);
  OWN(cuMemcpyDtoDAsync_v2, copy<&T::cuMemcpyDtoDAsync_v2>);
  OWN(cuMemcpyAsync, copy<&T::cuMemcpyAsync>);
  OWN(cuMemcpyBatchAsync_v2, copy_batch);
  OWN(cuMemsetD8_v2, set<&T::cuMemsetD8_v2>);
  OWN(cuMemsetD8_v2_ptds, set<&T::cuMemsetD8_v2_ptds>);
  OWN(cuMemsetD8Async, set<&T::cuMemsetD8Async>);
  OWN(cuMemsetD16_v2, set<&T::cuMemsetD16_v2>);
  OWN(cuMemsetD16_v2_ptds, set<&T::cuMemsetD16_v2_ptds>);
  OWN(cuMemsetD16Async, set<&T::cuMemsetD16Async>);
  OWN(cuMemsetD32_v2, set<&T::cuMemsetD32_v2>);
  OWN(cuMemsetD32_v2_ptds, set<&T::cuMemsetD32_v2_ptds>);
  OWN(cuMemsetD32Async, set<&T::cuMemsetD32Async>);
  OWN(cuMemsetD2D8_v2, set_rows<&T::cuMemsetD2D8_v2>);
  OWN(cuMemsetD2D8_v2_ptds, set_rows<&T::cuMemsetD2D8_v2_ptds>);
  OWN(cuMemsetD2D8Async, set_rows<&T::cuMemsetD2D8Async>);
  OWN(cuMemsetD2D16_v2, set_rows<&T::cuMemsetD2D16_v2>);
  OWN(cuMemsetD2D16_v2_ptds, set_rows<&T::cuMemsetD2D16_v2_ptds>);
  OWN(cuMemsetD2D16Async, set_rows<&T::cuMemsetD2D16Async>);
  OWN(cuMemsetD2D32_v2, set_rows<&T::cuMemsetD2D32_v2>);
  OWN(cuMemsetD2D32_v2_ptds, set_rows<&T::cuMemsetD2D32_v2_ptds>);
  OWN(cuMemsetD2D32Async, set_rows<&T::cuMemsetD2D32Async>);
}
#undef OWN

void add_own_functions(DriverTable& table) {
  add_contexts_and_handles(table);
  add_memory(table);
  add_copies(table);
  add_graph_functions(table);
  add_host_functions(table);
  add_ipc(table);
  add_virtual_memory(table);
  add_arrays(table);
}

}  // namespace harness::devices::gpu_calls
