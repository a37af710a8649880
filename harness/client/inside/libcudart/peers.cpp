// SPDX-License-Identifier: Apache-2.0
// Peers: copies between devices, and access to another device's memory.
#include <initializer_list>

#include "harness/client/inside/libcudart/call.h"
#include "harness/client/inside/libcudart/copies.h"

using harness::cudart::Call;
using harness::cudart::copy;
using harness::cudart::DefaultStream;
using harness::cudart::driver;
using harness::cudart::error_of;
using harness::cudart::in_context;
using harness::cudart::initialized;

namespace {

/// Returns success if both devices exist.
cudaError_t check_devices(int first, int second) {
  CUdevice device = 0;
  for (const int ordinal : {first, second})
    if (const CUresult error = driver.cuDeviceGet(&device, ordinal)) return error_of(error);
  return cudaSuccess;
}

/// Copies without the device numbers, because addresses are unique across devices.
template <class Function>
cudaError_t copy_slices(const cudaMemcpy3DPeerParms* parameters, const Function& function) {
  return in_context([&] {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    cudaError_t error = check_devices(parameters->srcDevice, parameters->dstDevice);
    if (error != cudaSuccess) return error;
    cudaMemcpy3DParms same{};
    same.srcArray = parameters->srcArray;
    same.srcPos = parameters->srcPos;
    same.srcPtr = parameters->srcPtr;
    same.dstArray = parameters->dstArray;
    same.dstPos = parameters->dstPos;
    same.dstPtr = parameters->dstPtr;
    same.extent = parameters->extent;
    same.kind = cudaMemcpyDeviceToDevice;
    CUDA_MEMCPY3D made{};
    error = harness::cudart::to_driver(same, made);
    return error != cudaSuccess ? error : error_of(function(&made));
  });
}

}  // namespace

/// Does not wait on the host. It is ordered like a call in the default stream.
CUDART_API cudaError_t cudaMemcpyPeer(void* target, int target_device, const void* source,
                                      int source_device, size_t bytes) {
  const Call call("cudaMemcpyPeer");
  return in_context([&] {
    const cudaError_t error = check_devices(target_device, source_device);
    return error != cudaSuccess
               ? error
               : copy(target, source, bytes, cudaMemcpyDeviceToDevice, DefaultStream::legacy);
  });
}

CUDART_API cudaError_t cudaMemcpyPeerAsync(void* target, int target_device, const void* source,
                                           int source_device, size_t bytes, cudaStream_t stream) {
  const Call call("cudaMemcpyPeerAsync");
  return in_context([&] {
    const cudaError_t error = check_devices(target_device, source_device);
    return error != cudaSuccess ? error
                                : harness::cudart::copy_async(target, source, bytes,
                                                              cudaMemcpyDeviceToDevice, stream);
  });
}

CUDART_API cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* parameters) {
  const Call call("cudaMemcpy3DPeer");
  return copy_slices(parameters, driver.cuMemcpy3D_v2);
}
CUDART_API cudaError_t cudaMemcpy3DPeer_ptds(const cudaMemcpy3DPeerParms* parameters) {
  const Call call("cudaMemcpy3DPeer");
  return copy_slices(parameters, driver.cuMemcpy3D_v2_ptds);
}

CUDART_API cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* parameters,
                                             cudaStream_t stream) {
  const Call call("cudaMemcpy3DPeerAsync");
  return copy_slices(parameters, [&](const CUDA_MEMCPY3D* made) {
    return driver.cuMemcpy3DAsync_v2(made, stream);
  });
}
CUDART_PTSZ(cudaMemcpy3DPeerAsync, stream,
            (const cudaMemcpy3DPeerParms* parameters, cudaStream_t stream), (parameters, stream))

// ---- access -------------------------------------------------------------------------------------

CUDART_API cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  const Call call("cudaDeviceEnablePeerAccess");
  return in_context([&] {
    if (flags != 0) return cudaErrorInvalidValue;
    int can_access = 0;
    const CUresult error =
        driver.cuDeviceCanAccessPeer(&can_access, harness::cudart::current_device(), peer);
    if (error != CUDA_SUCCESS) return error_of(error);
    // The driver has no other device to access.
    return can_access != 0 ? cudaErrorNotSupported : cudaErrorInvalidDevice;
  });
}

CUDART_API cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  const Call call("cudaDeviceDisablePeerAccess");
  return in_context([&] {
    const cudaError_t error = check_devices(peer, peer);
    return error != cudaSuccess ? error : cudaErrorPeerAccessNotEnabled;
  });
}

/// A device has no peer attributes with itself.
CUDART_API cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute,
                                                 int source, int target) {
  const Call call("cudaDeviceGetP2PAttribute");
  return initialized([&] {
    if (value == nullptr || attribute < cudaDevP2PAttrPerformanceRank ||
        attribute > cudaDevP2PAttrOnlyPartialNativeAtomicSupported)
      return cudaErrorInvalidValue;
    const cudaError_t error = check_devices(source, target);
    if (error != cudaSuccess) return error;
    if (source == target) return cudaErrorInvalidDevice;
    *value = 0;
    return cudaSuccess;
  });
}
