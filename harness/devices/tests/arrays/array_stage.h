// SPDX-License-Identifier: Apache-2.0
// ArrayStage: arrays, textures and surfaces for tests.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "harness/devices/tests/cuda_stage.h"

namespace harness::testing {

/// 1, 2, 3 and so on.
inline std::vector<int> numbers(std::size_t count) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), 1);
  return values;
}

/// An array with these extents, of which height and depth may be 0.
inline CUarray make_array(std::size_t width, std::size_t height = 0, std::size_t depth = 0,
                          CUarray_format format = CU_AD_FORMAT_SIGNED_INT32, unsigned channels = 1,
                          unsigned flags = 0) {
  const CUDA_ARRAY3D_DESCRIPTOR wanted{width, height, depth, format, channels, flags};
  CUarray array = nullptr;
  EXPECT_EQ(cuArray3DCreate_v2(&array, &wanted), CUDA_SUCCESS);
  return array;
}

inline CUDA_RESOURCE_DESC resource_of(CUarray array) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  return resource;
}

inline CUDA_RESOURCE_DESC linear_resource(CUdeviceptr address, std::size_t bytes,
                                          CUarray_format format = CU_AD_FORMAT_SIGNED_INT32) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear.devPtr = address;
  resource.res.linear.format = format;
  resource.res.linear.numChannels = 1;
  resource.res.linear.sizeInBytes = bytes;
  return resource;
}

/// A texture that by default clamps coordinates and reads the nearest texel.
inline CUDA_TEXTURE_DESC clamped(CUfilter_mode filter = CU_TR_FILTER_MODE_POINT,
                                 unsigned flags = 0) {
  CUDA_TEXTURE_DESC sampling{};
  for (CUaddress_mode& mode : sampling.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
  sampling.filterMode = filter;
  sampling.flags = flags;
  return sampling;
}

inline CUtexObject make_texture(const CUDA_RESOURCE_DESC& resource,
                                const CUDA_TEXTURE_DESC& sampling = clamped()) {
  CUtexObject texture = 0;
  EXPECT_EQ(cuTexObjectCreate(&texture, &resource, &sampling, nullptr), CUDA_SUCCESS);
  return texture;
}

inline CUsurfObject make_surface(CUarray array) {
  const CUDA_RESOURCE_DESC resource = resource_of(array);
  CUsurfObject surface = 0;
  EXPECT_EQ(cuSurfObjectCreate(&surface, &resource), CUDA_SUCCESS);
  return surface;
}

/// A copy of all rows between memory of the host and an array.
template <class T>
CUDA_MEMCPY2D rows_to_array(const T* host, CUarray array, std::size_t width, std::size_t height) {
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = host;
  copy.srcPitch = width * sizeof(T);
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.WidthInBytes = width * sizeof(T);
  copy.Height = height;
  return copy;
}

template <class T>
CUDA_MEMCPY2D rows_from_array(CUarray array, T* host, std::size_t width, std::size_t height) {
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = array;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = host;
  copy.dstPitch = width * sizeof(T);
  copy.WidthInBytes = width * sizeof(T);
  copy.Height = height;
  return copy;
}

template <class T>
void fill_array(CUarray array, const std::vector<T>& values, std::size_t width) {
  const CUDA_MEMCPY2D copy = rows_to_array(values.data(), array, width, values.size() / width);
  EXPECT_EQ(cuMemcpy2D_v2(&copy), CUDA_SUCCESS);
}

template <class T>
std::vector<T> values_in(CUarray array, std::size_t width, std::size_t height) {
  std::vector<T> values(width * height);
  const CUDA_MEMCPY2D copy = rows_from_array(array, values.data(), width, height);
  EXPECT_EQ(cuMemcpy2D_v2(&copy), CUDA_SUCCESS);
  return values;
}

}  // namespace harness::testing
