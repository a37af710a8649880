// SPDX-License-Identifier: Apache-2.0
// Arrays: creation from a channel format and an extent, and their properties.
#include "harness/client/inside/libcudart/call.h"
#include "harness/client/inside/libcudart/channels.h"

using harness::cudart::Call;
using harness::cudart::Channels;
using harness::cudart::driver;
using harness::cudart::error_of;
using harness::cudart::in_context;

static_assert(cudaArrayLayered == CUDA_ARRAY3D_LAYERED &&
              cudaArraySurfaceLoadStore == CUDA_ARRAY3D_SURFACE_LDST &&
              cudaArrayCubemap == CUDA_ARRAY3D_CUBEMAP &&
              cudaArrayTextureGather == CUDA_ARRAY3D_TEXTURE_GATHER &&
              cudaArraySparse == CUDA_ARRAY3D_SPARSE &&
              cudaArrayDeferredMapping == CUDA_ARRAY3D_DEFERRED_MAPPING);

namespace {

CUarray handle_of(cudaArray_const_t array) {
  return reinterpret_cast<CUarray>(const_cast<cudaArray_t>(array));
}

/// Creates an array by a driver function, to which it passes a descriptor.
template <class Function>
cudaError_t make(const void* made, const cudaChannelFormatDesc* format, const cudaExtent& extent,
                 unsigned flags, const Function& function) {
  return in_context([&] {
    if (made == nullptr || format == nullptr) return cudaErrorInvalidValue;
    Channels channels;
    if (!harness::cudart::to_driver(*format, channels)) return cudaErrorInvalidChannelDescriptor;
    const CUDA_ARRAY3D_DESCRIPTOR wanted{extent.width,    extent.height,  extent.depth,
                                         channels.format, channels.count, flags};
    return error_of(function(wanted));
  });
}

cudaError_t make_array(cudaArray_t* array, const cudaChannelFormatDesc* format,
                       const cudaExtent& extent, unsigned flags) {
  return make(array, format, extent, flags, [&](const CUDA_ARRAY3D_DESCRIPTOR& wanted) {
    return driver.cuArray3DCreate_v2(reinterpret_cast<CUarray*>(array), &wanted);
  });
}

}  // namespace

CUDART_API cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                                       size_t width, size_t height, unsigned flags) {
  const Call call("cudaMallocArray");
  return make_array(array, format, {width, height, 0}, flags);
}

CUDART_API cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                                         cudaExtent extent, unsigned flags) {
  const Call call("cudaMalloc3DArray");
  return make_array(array, format, extent, flags);
}

CUDART_API cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* array,
                                                const cudaChannelFormatDesc* format,
                                                cudaExtent extent, unsigned level_count,
                                                unsigned flags) {
  const Call call("cudaMallocMipmappedArray");
  return make(array, format, extent, flags, [&](const CUDA_ARRAY3D_DESCRIPTOR& wanted) {
    return driver.cuMipmappedArrayCreate(reinterpret_cast<CUmipmappedArray*>(array), &wanted,
                                         level_count);
  });
}

/// Accepts null, which is not an array.
CUDART_API cudaError_t cudaFreeArray(cudaArray_t array) {
  const Call call("cudaFreeArray");
  return in_context(
      [&] { return array != nullptr ? driver.cuArrayDestroy(handle_of(array)) : CUDA_SUCCESS; });
}

CUDART_API cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent,
                                        unsigned* flags, cudaArray_t array) {
  const Call call("cudaArrayGetInfo");
  return in_context([&] {
    CUDA_ARRAY3D_DESCRIPTOR found{};
    if (const CUresult error = driver.cuArray3DGetDescriptor_v2(&found, handle_of(array)))
      return error;
    if (format != nullptr)
      *format = harness::cudart::from_driver(Channels{found.Format, found.NumChannels});
    if (extent != nullptr) *extent = {found.Width, found.Height, found.Depth};
    if (flags != nullptr) *flags = found.Flags;
    return CUDA_SUCCESS;
  });
}

CUDART_API cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array) {
  const Call call("cudaGetChannelDesc");
  return in_context([&] {
    if (format == nullptr) return CUDA_ERROR_INVALID_VALUE;
    CUDA_ARRAY3D_DESCRIPTOR found{};
    if (const CUresult error = driver.cuArray3DGetDescriptor_v2(&found, handle_of(array)))
      return error;
    *format = harness::cudart::from_driver(Channels{found.Format, found.NumChannels});
    return CUDA_SUCCESS;
  });
}

CUDART_API cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                       cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
