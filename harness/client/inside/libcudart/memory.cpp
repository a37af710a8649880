// SPDX-License-Identifier: Apache-2.0
// Memory: allocations and frees, and attributes of pointers.
#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "harness/client/inside/libcudart/call.h"

using harness::cudart::address_of;
using harness::cudart::Call;
using harness::cudart::driver;
using harness::cudart::in_context;

namespace {

/// Allocates nothing for 0 bytes, without an error.
template <class Function>
cudaError_t allocate(void** address, size_t bytes, const Function& function) {
  return in_context([&] {
    if (address == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (bytes != 0) return function();
    *address = nullptr;
    return CUDA_SUCCESS;
  });
}

/// The driver's element size, on which the alignment of rows depends.
constexpr unsigned kElementBytes = 4;

}  // namespace

CUDART_API cudaError_t cudaMalloc(void** address, size_t bytes) {
  const Call call("cudaMalloc");
  return allocate(address, bytes, [&] { return driver.cuMemAlloc_v2(address_of(address), bytes); });
}

CUDART_API cudaError_t cudaMallocHost(void** address, size_t bytes) {
  const Call call("cudaMallocHost");
  return allocate(address, bytes, [&] { return driver.cuMemAllocHost_v2(address, bytes); });
}

CUDART_API cudaError_t cudaHostAlloc(void** address, size_t bytes, unsigned flags) {
  static_assert(cudaHostAllocPortable == CU_MEMHOSTALLOC_PORTABLE &&
                cudaHostAllocMapped == CU_MEMHOSTALLOC_DEVICEMAP &&
                cudaHostAllocWriteCombined == CU_MEMHOSTALLOC_WRITECOMBINED);
  const Call call("cudaHostAlloc");
  return allocate(address, bytes, [&] { return driver.cuMemHostAlloc(address, bytes, flags); });
}

CUDART_API cudaError_t cudaMallocPitch(void** address, size_t* pitch, size_t width, size_t height) {
  const Call call("cudaMallocPitch");
  if (pitch != nullptr) *pitch = 0;
  return allocate(address, std::min(width, height), [&] {
    return driver.cuMemAllocPitch_v2(address_of(address), pitch, width, height, kElementBytes);
  });
}

CUDART_API cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
  const Call call("cudaMalloc3D");
  if (pitched == nullptr) return in_context([] { return CUDA_ERROR_INVALID_VALUE; });
  cudaPitchedPtr made{nullptr, 0, extent.width, extent.height};
  const cudaError_t error =
      cudaMallocPitch(&made.ptr, &made.pitch, extent.width, extent.height * extent.depth);
  if (error == cudaSuccess) *pitched = made;
  return error;
}

/// Accepts null. Programs free null to initialize the context early.
CUDART_API cudaError_t cudaFree(void* address) {
  const Call call("cudaFree");
  return in_context(
      [&] { return address != nullptr ? driver.cuMemFree_v2(address_of(address)) : CUDA_SUCCESS; });
}

CUDART_API cudaError_t cudaFreeHost(void* address) {
  const Call call("cudaFreeHost");
  return in_context(
      [&] { return address != nullptr ? driver.cuMemFreeHost(address) : CUDA_SUCCESS; });
}

CUDART_API cudaError_t cudaMemPrefetchBatchAsync(void** addresses, size_t* sizes, size_t count,
                                                 cudaMemLocation* locations, size_t* first_of,
                                                 size_t location_count, unsigned long long flags,
                                                 cudaStream_t stream) {
  const Call call("cudaMemPrefetchBatchAsync");
  return in_context([&] {
    if (flags != 0 || stream == nullptr || location_count == 0 || location_count > count ||
        addresses == nullptr || sizes == nullptr || locations == nullptr || first_of == nullptr ||
        first_of[0] != 0)
      return CUDA_ERROR_INVALID_VALUE;
    CUresult error = CUDA_SUCCESS;
    for (size_t i = 0, location = 0; i < count && error == CUDA_SUCCESS; ++i) {
      if (location + 1 < location_count && first_of[location + 1] == i) ++location;
      const auto to = std::bit_cast<CUmemLocation>(locations[location]);
      error = driver.cuMemPrefetchAsync_v2(address_of(addresses[i]), sizes[i], to, 0, stream);
    }
    return error;
  });
}
CUDART_PTSZ(cudaMemPrefetchBatchAsync, stream,
            (void** addresses, size_t* sizes, size_t count, cudaMemLocation* locations,
             size_t* first_of, size_t location_count, unsigned long long flags,
             cudaStream_t stream),
            (addresses, sizes, count, locations, first_of, location_count, flags, stream))

// ---- pointers -----------------------------------------------------------------------------------

namespace {

/// The attributes of a pointer, 0 if the driver does not know it.
struct Known {
  unsigned type = 0;
  int device = 0;
  int is_managed = 0;
  CUdeviceptr on_device = 0;
  void* on_host = nullptr;
};

CUresult look_up(const void* pointer, Known& known) {
  std::array attributes{CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                        CU_POINTER_ATTRIBUTE_IS_MANAGED, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
                        CU_POINTER_ATTRIBUTE_HOST_POINTER};
  std::array<void*, attributes.size()> values{&known.type, &known.device, &known.is_managed,
                                              &known.on_device, &known.on_host};
  return driver.cuPointerGetAttributes(attributes.size(), attributes.data(), values.data(),
                                       address_of(pointer));
}

cudaPointerAttributes described(const void* pointer, const Known& known) {
  if (known.type == 0)
    return {
        cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, const_cast<void*>(pointer), {}};
  const bool is_host = known.type == CU_MEMORYTYPE_HOST;
  return {known.is_managed != 0 ? cudaMemoryTypeManaged
          : is_host             ? cudaMemoryTypeHost
                                : cudaMemoryTypeDevice,
          known.device,
          reinterpret_cast<void*>(known.on_device),
          known.on_host,
          {}};
}

}  // namespace

CUDART_API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes,
                                                const void* pointer) {
  const Call call("cudaPointerGetAttributes");
  return in_context([&] {
    if (attributes == nullptr) return CUDA_ERROR_INVALID_VALUE;
    Known known;
    const CUresult error = look_up(pointer, known);
    if (error == CUDA_SUCCESS) *attributes = described(pointer, known);
    return error;
  });
}
