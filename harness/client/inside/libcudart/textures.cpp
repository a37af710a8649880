// SPDX-License-Identifier: Apache-2.0
// Textures and surfaces: converts their descriptions to the driver's, and back.
#include <algorithm>

#include "harness/client/inside/libcudart/call.h"
#include "harness/client/inside/libcudart/channels.h"

using harness::cudart::address_of;
using harness::cudart::Call;
using harness::cudart::Channels;
using harness::cudart::driver;
using harness::cudart::error_of;
using harness::cudart::in_context;

static_assert(static_cast<int>(cudaResViewFormatUnsignedBlockCompressed7) ==
                  CU_RES_VIEW_FORMAT_UNSIGNED_BC7 &&
              static_cast<int>(cudaAddressModeBorder) == CU_TR_ADDRESS_MODE_BORDER &&
              static_cast<int>(cudaFilterModeLinear) == CU_TR_FILTER_MODE_LINEAR);

namespace {

// ---- resources ----------------------------------------------------------------------------------

cudaError_t to_driver(const cudaResourceDesc& from, CUDA_RESOURCE_DESC& to) {
  to = {};
  to.flags = from.flags;
  Channels channels;
  switch (from.resType) {
    case cudaResourceTypeArray:
      to.resType = CU_RESOURCE_TYPE_ARRAY;
      to.res.array.hArray = reinterpret_cast<CUarray>(from.res.array.array);
      return cudaSuccess;
    case cudaResourceTypeMipmappedArray:
      to.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
      to.res.mipmap.hMipmappedArray = reinterpret_cast<CUmipmappedArray>(from.res.mipmap.mipmap);
      return cudaSuccess;
    case cudaResourceTypeLinear: {
      const auto& linear = from.res.linear;
      if (!harness::cudart::to_driver(linear.desc, channels))
        return cudaErrorInvalidChannelDescriptor;
      to.resType = CU_RESOURCE_TYPE_LINEAR;
      to.res.linear = {address_of(linear.devPtr), channels.format, channels.count,
                       linear.sizeInBytes};
      return cudaSuccess;
    }
    case cudaResourceTypePitch2D: {
      const auto& pitched = from.res.pitch2D;
      if (!harness::cudart::to_driver(pitched.desc, channels))
        return cudaErrorInvalidChannelDescriptor;
      to.resType = CU_RESOURCE_TYPE_PITCH2D;
      to.res.pitch2D = {address_of(pitched.devPtr),
                        channels.format,
                        channels.count,
                        pitched.width,
                        pitched.height,
                        pitched.pitchInBytes};
      return cudaSuccess;
    }
  }
  return cudaErrorInvalidValue;
}

void from_driver(const CUDA_RESOURCE_DESC& from, cudaResourceDesc& to) {
  to = {};
  to.flags = from.flags;
  to.resType = static_cast<cudaResourceType>(from.resType);
  switch (from.resType) {
    case CU_RESOURCE_TYPE_ARRAY:
      to.res.array.array = reinterpret_cast<cudaArray_t>(from.res.array.hArray);
      break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
      to.res.mipmap.mipmap =
          reinterpret_cast<cudaMipmappedArray_t>(from.res.mipmap.hMipmappedArray);
      break;
    case CU_RESOURCE_TYPE_LINEAR:
      to.res.linear.devPtr = reinterpret_cast<void*>(from.res.linear.devPtr);
      to.res.linear.desc = harness::cudart::from_driver(
          Channels{from.res.linear.format, from.res.linear.numChannels});
      to.res.linear.sizeInBytes = from.res.linear.sizeInBytes;
      break;
    case CU_RESOURCE_TYPE_PITCH2D:
      to.res.pitch2D.devPtr = reinterpret_cast<void*>(from.res.pitch2D.devPtr);
      to.res.pitch2D.desc = harness::cudart::from_driver(
          Channels{from.res.pitch2D.format, from.res.pitch2D.numChannels});
      to.res.pitch2D.width = from.res.pitch2D.width;
      to.res.pitch2D.height = from.res.pitch2D.height;
      to.res.pitch2D.pitchInBytes = from.res.pitch2D.pitchInBytes;
      break;
  }
}

// ---- sampling -----------------------------------------------------------------------------------

unsigned flags_of(const cudaTextureDesc& sampling) {
  unsigned flags = 0;
  if (sampling.readMode == cudaReadModeElementType) flags |= CU_TRSF_READ_AS_INTEGER;
  if (sampling.normalizedCoords != 0) flags |= CU_TRSF_NORMALIZED_COORDINATES;
  if (sampling.sRGB != 0) flags |= CU_TRSF_SRGB;
  if (sampling.disableTrilinearOptimization != 0) flags |= CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;
  if (sampling.seamlessCubemap != 0) flags |= CU_TRSF_SEAMLESS_CUBEMAP;
  return flags;
}

CUDA_TEXTURE_DESC to_driver(const cudaTextureDesc& from) {
  CUDA_TEXTURE_DESC to{};
  for (int i = 0; i < 3; ++i) to.addressMode[i] = static_cast<CUaddress_mode>(from.addressMode[i]);
  to.filterMode = static_cast<CUfilter_mode>(from.filterMode);
  to.flags = flags_of(from);
  to.maxAnisotropy = from.maxAnisotropy;
  to.mipmapFilterMode = static_cast<CUfilter_mode>(from.mipmapFilterMode);
  to.mipmapLevelBias = from.mipmapLevelBias;
  to.minMipmapLevelClamp = from.minMipmapLevelClamp;
  to.maxMipmapLevelClamp = from.maxMipmapLevelClamp;
  std::ranges::copy(from.borderColor, to.borderColor);
  return to;
}

void from_driver(const CUDA_TEXTURE_DESC& from, cudaTextureDesc& to) {
  const auto has = [&](unsigned flag) { return (from.flags & flag) != 0; };
  to = {};
  for (int i = 0; i < 3; ++i)
    to.addressMode[i] = static_cast<cudaTextureAddressMode>(from.addressMode[i]);
  to.filterMode = static_cast<cudaTextureFilterMode>(from.filterMode);
  to.readMode =
      has(CU_TRSF_READ_AS_INTEGER) ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
  to.normalizedCoords = has(CU_TRSF_NORMALIZED_COORDINATES) ? 1 : 0;
  to.sRGB = has(CU_TRSF_SRGB) ? 1 : 0;
  to.disableTrilinearOptimization = has(CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) ? 1 : 0;
  to.seamlessCubemap = has(CU_TRSF_SEAMLESS_CUBEMAP) ? 1 : 0;
  to.maxAnisotropy = from.maxAnisotropy;
  to.mipmapFilterMode = static_cast<cudaTextureFilterMode>(from.mipmapFilterMode);
  to.mipmapLevelBias = from.mipmapLevelBias;
  to.minMipmapLevelClamp = from.minMipmapLevelClamp;
  to.maxMipmapLevelClamp = from.maxMipmapLevelClamp;
  std::ranges::copy(from.borderColor, to.borderColor);
}

// ---- views --------------------------------------------------------------------------------------

CUDA_RESOURCE_VIEW_DESC to_driver(const cudaResourceViewDesc& from) {
  CUDA_RESOURCE_VIEW_DESC to{};
  to.format = static_cast<CUresourceViewFormat>(from.format);
  to.width = from.width;
  to.height = from.height;
  to.depth = from.depth;
  to.firstMipmapLevel = from.firstMipmapLevel;
  to.lastMipmapLevel = from.lastMipmapLevel;
  to.firstLayer = from.firstLayer;
  to.lastLayer = from.lastLayer;
  return to;
}

void from_driver(const CUDA_RESOURCE_VIEW_DESC& from, cudaResourceViewDesc& to) {
  to = {};
  to.format = static_cast<cudaResourceViewFormat>(from.format);
  to.width = from.width;
  to.height = from.height;
  to.depth = from.depth;
  to.firstMipmapLevel = from.firstMipmapLevel;
  to.lastMipmapLevel = from.lastMipmapLevel;
  to.firstLayer = from.firstLayer;
  to.lastLayer = from.lastLayer;
}

/// Queries a description with a driver function, and translates it.
template <class Found, class To, class Function>
cudaError_t get(To* to, const Function& function) {
  return in_context([&] {
    if (to == nullptr) return CUDA_ERROR_INVALID_VALUE;
    Found found{};
    const CUresult error = function(&found);
    if (error == CUDA_SUCCESS) from_driver(found, *to);
    return error;
  });
}

}  // namespace

CUDART_API cudaError_t cudaCreateTextureObject(cudaTextureObject_t* texture,
                                               const cudaResourceDesc* resource,
                                               const cudaTextureDesc* sampling,
                                               const cudaResourceViewDesc* view) {
  const Call call("cudaCreateTextureObject");
  return in_context([&] {
    if (texture == nullptr || resource == nullptr || sampling == nullptr)
      return cudaErrorInvalidValue;
    CUDA_RESOURCE_DESC wanted{};
    if (const cudaError_t error = to_driver(*resource, wanted)) return error;
    const CUDA_TEXTURE_DESC how = to_driver(*sampling);
    CUDA_RESOURCE_VIEW_DESC as{};
    if (view != nullptr) as = to_driver(*view);
    return error_of(
        driver.cuTexObjectCreate(texture, &wanted, &how, view != nullptr ? &as : nullptr));
  });
}

CUDART_API cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource,
                                                        cudaTextureObject_t texture) {
  const Call call("cudaGetTextureObjectResourceDesc");
  return get<CUDA_RESOURCE_DESC>(resource, [&](CUDA_RESOURCE_DESC* found) {
    return driver.cuTexObjectGetResourceDesc(found, texture);
  });
}

CUDART_API cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* sampling,
                                                       cudaTextureObject_t texture) {
  const Call call("cudaGetTextureObjectTextureDesc");
  return get<CUDA_TEXTURE_DESC>(sampling, [&](CUDA_TEXTURE_DESC* found) {
    return driver.cuTexObjectGetTextureDesc(found, texture);
  });
}

CUDART_API cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc* view,
                                                            cudaTextureObject_t texture) {
  const Call call("cudaGetTextureObjectResourceViewDesc");
  return get<CUDA_RESOURCE_VIEW_DESC>(view, [&](CUDA_RESOURCE_VIEW_DESC* found) {
    return driver.cuTexObjectGetResourceViewDesc(found, texture);
  });
}

CUDART_API cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* surface,
                                               const cudaResourceDesc* resource) {
  const Call call("cudaCreateSurfaceObject");
  return in_context([&] {
    if (surface == nullptr || resource == nullptr) return cudaErrorInvalidValue;
    CUDA_RESOURCE_DESC wanted{};
    const cudaError_t error = to_driver(*resource, wanted);
    return error != cudaSuccess ? error : error_of(driver.cuSurfObjectCreate(surface, &wanted));
  });
}

CUDART_API cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource,
                                                        cudaSurfaceObject_t surface) {
  const Call call("cudaGetSurfaceObjectResourceDesc");
  return get<CUDA_RESOURCE_DESC>(resource, [&](CUDA_RESOURCE_DESC* found) {
    return driver.cuSurfObjectGetResourceDesc(found, surface);
  });
}
