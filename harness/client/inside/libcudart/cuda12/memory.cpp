// SPDX-License-Identifier: Apache-2.0
// Memory in CUDA 12: a device number is a location, and a batch returns the index of a failed copy.
#include <bit>
#include <cstdint>

#include "harness/client/inside/libcudart/cuda12/functions.h"

using harness::cudart::Call;
using harness::cudart::cuda12::PointerAttributes;

namespace {

cudaMemLocation location(int device) {
  cudaMemLocation place{};
  place.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  place.id = device == cudaCpuDeviceId ? 0 : device;
  return place;
}

/// Reports no index, because the batch is refused as a whole.
cudaError_t with_index(cudaError_t error, size_t* failed) {
  if (error != cudaSuccess && failed != nullptr) *failed = SIZE_MAX;
  return error;
}

}  // namespace

CUDART_API cudaError_t cudaMemAdvise(const void* address, size_t bytes, cudaMemoryAdvise advice,
                                     int device) {
  const Call call("cudaMemAdvise");
  return cudaMemAdvise_v2(address, bytes, advice, location(device));
}

CUDART_API cudaError_t cudaMemPrefetchAsync(const void* address, size_t bytes, int device,
                                            cudaStream_t stream) {
  const Call call("cudaMemPrefetchAsync");
  return cudaMemPrefetchAsync_v2(address, bytes, location(device), 0, stream);
}
CUDART_PTSZ(cudaMemPrefetchAsync, stream,
            (const void* address, size_t bytes, int device, cudaStream_t stream),
            (address, bytes, device, stream))

CUDART_API cudaError_t cudaMemcpyBatchAsync(void** targets, void** sources, size_t* sizes,
                                            size_t count, cudaMemcpyAttributes* attributes,
                                            size_t* first_of, size_t attribute_count,
                                            size_t* failed, cudaStream_t stream) {
  const Call call("cudaMemcpyBatchAsync");
  return with_index(afterlife_cudaMemcpyBatchAsync(targets, sources, sizes, count, attributes,
                                                   first_of, attribute_count, stream),
                    failed);
}
CUDART_PTSZ(cudaMemcpyBatchAsync, stream,
            (void** targets, void** sources, size_t* sizes, size_t count,
             cudaMemcpyAttributes* attributes, size_t* first_of, size_t attribute_count,
             size_t* failed, cudaStream_t stream),
            (targets, sources, sizes, count, attributes, first_of, attribute_count, failed, stream))

CUDART_API cudaError_t cudaPointerGetAttributes(PointerAttributes* attributes,
                                                const void* pointer) {
  const Call call("cudaPointerGetAttributes");
  if (attributes == nullptr) return afterlife_cudaPointerGetAttributes(nullptr, pointer);
  cudaPointerAttributes found;
  const cudaError_t error = afterlife_cudaPointerGetAttributes(&found, pointer);
  if (error == cudaSuccess)
    *attributes = {found.type, found.device, found.devicePointer, found.hostPointer};
  return error;
}
