// SPDX-License-Identifier: Apache-2.0
// Memsets of memory, rows and slices.
#include <algorithm>

#include "harness/client/inside/libcudart/call.h"

using harness::cudart::address_of;
using harness::cudart::Call;
using harness::cudart::driver;
using harness::cudart::in_context;

namespace {

unsigned char byte_of(int value) { return static_cast<unsigned char>(value); }

/// Sets the rows of each slice by a driver function; in one call if they cover whole slices.
template <class Function>
cudaError_t set_slices(const cudaPitchedPtr& pitched, int value, const cudaExtent& extent,
                       const Function& set_rows) {
  return in_context([&] {
    const bool is_whole = extent.height == pitched.ysize;
    const std::size_t slices = is_whole ? std::min<std::size_t>(extent.depth, 1) : extent.depth;
    const std::size_t rows = is_whole ? extent.height * extent.depth : extent.height;
    CUresult error = CUDA_SUCCESS;
    for (std::size_t i = 0; i < slices && error == CUDA_SUCCESS; ++i)
      error = set_rows(address_of(pitched.ptr) + i * pitched.pitch * pitched.ysize, pitched.pitch,
                       byte_of(value), extent.width, rows);
    return error;
  });
}

}  // namespace

CUDART_API cudaError_t cudaMemset(void* target, int value, size_t count) {
  const Call call("cudaMemset");
  return in_context(
      [&] { return driver.cuMemsetD8_v2(address_of(target), byte_of(value), count); });
}
CUDART_API cudaError_t cudaMemset_ptds(void* target, int value, size_t count) {
  const Call call("cudaMemset");
  return in_context(
      [&] { return driver.cuMemsetD8_v2_ptds(address_of(target), byte_of(value), count); });
}

CUDART_API cudaError_t cudaMemsetAsync(void* target, int value, size_t count, cudaStream_t stream) {
  const Call call("cudaMemsetAsync");
  return in_context(
      [&] { return driver.cuMemsetD8Async(address_of(target), byte_of(value), count, stream); });
}
CUDART_PTSZ(cudaMemsetAsync, stream, (void* target, int value, size_t count, cudaStream_t stream),
            (target, value, count, stream))

CUDART_API cudaError_t cudaMemset2D(void* target, size_t pitch, int value, size_t width,
                                    size_t height) {
  const Call call("cudaMemset2D");
  return in_context([&] {
    return driver.cuMemsetD2D8_v2(address_of(target), pitch, byte_of(value), width, height);
  });
}
CUDART_API cudaError_t cudaMemset2D_ptds(void* target, size_t pitch, int value, size_t width,
                                         size_t height) {
  const Call call("cudaMemset2D");
  return in_context([&] {
    return driver.cuMemsetD2D8_v2_ptds(address_of(target), pitch, byte_of(value), width, height);
  });
}

CUDART_API cudaError_t cudaMemset2DAsync(void* target, size_t pitch, int value, size_t width,
                                         size_t height, cudaStream_t stream) {
  const Call call("cudaMemset2DAsync");
  return in_context([&] {
    return driver.cuMemsetD2D8Async(address_of(target), pitch, byte_of(value), width, height,
                                    stream);
  });
}
CUDART_PTSZ(cudaMemset2DAsync, stream,
            (void* target, size_t pitch, int value, size_t width, size_t height,
             cudaStream_t stream),
            (target, pitch, value, width, height, stream))

CUDART_API cudaError_t cudaMemset3D(cudaPitchedPtr target, int value, cudaExtent extent) {
  const Call call("cudaMemset3D");
  return set_slices(target, value, extent,
                    [](auto... arguments) { return driver.cuMemsetD2D8_v2(arguments...); });
}
CUDART_API cudaError_t cudaMemset3D_ptds(cudaPitchedPtr target, int value, cudaExtent extent) {
  const Call call("cudaMemset3D");
  return set_slices(target, value, extent,
                    [](auto... arguments) { return driver.cuMemsetD2D8_v2_ptds(arguments...); });
}

CUDART_API cudaError_t cudaMemset3DAsync(cudaPitchedPtr target, int value, cudaExtent extent,
                                         cudaStream_t stream) {
  const Call call("cudaMemset3DAsync");
  return set_slices(target, value, extent, [&](auto... arguments) {
    return driver.cuMemsetD2D8Async(arguments..., stream);
  });
}
CUDART_PTSZ(cudaMemset3DAsync, stream,
            (cudaPitchedPtr target, int value, cudaExtent extent, cudaStream_t stream),
            (target, value, extent, stream))
