// SPDX-License-Identifier: Apache-2.0
// Copies of memory, rows and slices, between the host and devices.
#include "harness/client/inside/libcudart/call.h"
#include "harness/client/inside/libcudart/copies.h"

using harness::cudart::Call;
using harness::cudart::CopySide;
using harness::cudart::DefaultStream;
using harness::cudart::driver;
using harness::cudart::error_of;
using harness::cudart::in_context;

namespace {

cudaError_t memcpy_on(void* target, const void* source, size_t bytes, cudaMemcpyKind kind,
                      DefaultStream on) {
  return in_context([&] { return harness::cudart::copy(target, source, bytes, kind, on); });
}

cudaError_t memcpy_2d_on(void* target, size_t target_pitch, const void* source, size_t source_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind, DefaultStream on) {
  return in_context([&] {
    return harness::cudart::copy_rows(CopySide::memory(target, target_pitch),
                                      CopySide::memory(source, source_pitch), {width, height}, kind,
                                      on);
  });
}

/// Copies slices by a driver function, to which it passes the copy.
template <class Function>
cudaError_t memcpy_3d(const cudaMemcpy3DParms* parameters, const Function& function) {
  return in_context([&] {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    CUDA_MEMCPY3D copy{};
    const cudaError_t error = harness::cudart::to_driver(*parameters, copy);
    return error != cudaSuccess ? error : error_of(function(&copy));
  });
}

}  // namespace

CUDART_API cudaError_t cudaMemcpy(void* target, const void* source, size_t bytes,
                                  cudaMemcpyKind kind) {
  const Call call("cudaMemcpy");
  return memcpy_on(target, source, bytes, kind, DefaultStream::legacy);
}
CUDART_API cudaError_t cudaMemcpy_ptds(void* target, const void* source, size_t bytes,
                                       cudaMemcpyKind kind) {
  const Call call("cudaMemcpy");
  return memcpy_on(target, source, bytes, kind, DefaultStream::per_thread);
}

CUDART_API cudaError_t cudaMemcpyAsync(void* target, const void* source, size_t bytes,
                                       cudaMemcpyKind kind, cudaStream_t stream) {
  const Call call("cudaMemcpyAsync");
  return in_context(
      [&] { return harness::cudart::copy_async(target, source, bytes, kind, stream); });
}
CUDART_PTSZ(cudaMemcpyAsync, stream,
            (void* target, const void* source, size_t bytes, cudaMemcpyKind kind,
             cudaStream_t stream),
            (target, source, bytes, kind, stream))

CUDART_API cudaError_t cudaMemcpy2D(void* target, size_t target_pitch, const void* source,
                                    size_t source_pitch, size_t width, size_t height,
                                    cudaMemcpyKind kind) {
  const Call call("cudaMemcpy2D");
  return memcpy_2d_on(target, target_pitch, source, source_pitch, width, height, kind,
                      DefaultStream::legacy);
}
CUDART_API cudaError_t cudaMemcpy2D_ptds(void* target, size_t target_pitch, const void* source,
                                         size_t source_pitch, size_t width, size_t height,
                                         cudaMemcpyKind kind) {
  const Call call("cudaMemcpy2D");
  return memcpy_2d_on(target, target_pitch, source, source_pitch, width, height, kind,
                      DefaultStream::per_thread);
}

CUDART_API cudaError_t cudaMemcpy2DAsync(void* target, size_t target_pitch, const void* source,
                                         size_t source_pitch, size_t width, size_t height,
                                         cudaMemcpyKind kind, cudaStream_t stream) {
  const Call call("cudaMemcpy2DAsync");
  return in_context([&] {
    return harness::cudart::copy_rows_async(CopySide::memory(target, target_pitch),
                                            CopySide::memory(source, source_pitch), {width, height},
                                            kind, stream);
  });
}
CUDART_PTSZ(cudaMemcpy2DAsync, stream,
            (void* target, size_t target_pitch, const void* source, size_t source_pitch,
             size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream),
            (target, target_pitch, source, source_pitch, width, height, kind, stream))

CUDART_API cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  const Call call("cudaMemcpy3D");
  return memcpy_3d(parameters, driver.cuMemcpy3D_v2);
}
CUDART_API cudaError_t cudaMemcpy3D_ptds(const cudaMemcpy3DParms* parameters) {
  const Call call("cudaMemcpy3D");
  return memcpy_3d(parameters, driver.cuMemcpy3D_v2_ptds);
}

CUDART_API cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  const Call call("cudaMemcpy3DAsync");
  return memcpy_3d(parameters, [&](const CUDA_MEMCPY3D* copy) {
    return driver.cuMemcpy3DAsync_v2(copy, stream);
  });
}
CUDART_PTSZ(cudaMemcpy3DAsync, stream, (const cudaMemcpy3DParms* parameters, cudaStream_t stream),
            (parameters, stream))

CUDART_API cudaError_t cudaMemcpyBatchAsync(void* const* targets, const void* const* sources,
                                            const size_t* sizes, size_t count,
                                            cudaMemcpyAttributes* attributes, size_t* first_of,
                                            size_t attribute_count, cudaStream_t stream) {
  static_assert(sizeof(cudaMemcpyAttributes) == sizeof(CUmemcpyAttributes));
  const Call call("cudaMemcpyBatchAsync");
  return in_context([&] {
    return driver.cuMemcpyBatchAsync_v2(reinterpret_cast<CUdeviceptr*>(const_cast<void**>(targets)),
                                        reinterpret_cast<CUdeviceptr*>(const_cast<void**>(sources)),
                                        const_cast<size_t*>(sizes), count,
                                        reinterpret_cast<CUmemcpyAttributes*>(attributes), first_of,
                                        attribute_count, stream);
  });
}
CUDART_PTSZ(cudaMemcpyBatchAsync, stream,
            (void* const* targets, const void* const* sources, const size_t* sizes, size_t count,
             cudaMemcpyAttributes* attributes, size_t* first_of, size_t attribute_count,
             cudaStream_t stream),
            (targets, sources, sizes, count, attributes, first_of, attribute_count, stream))
