// SPDX-License-Identifier: Apache-2.0
// Arrays, textures and surfaces.
#include <utility>

#include "harness/client/inside/libcudart/tests/runtime_stage.h"

// Some of the functions are deprecated, and called nevertheless.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

extern "C" {
cudaError_t cudaMemcpy2DToArray_ptds(cudaArray_t, size_t, size_t, const void*, size_t, size_t,
                                     size_t, cudaMemcpyKind);
cudaError_t cudaMemcpy2DFromArray_ptds(void*, size_t, cudaArray_const_t, size_t, size_t, size_t,
                                       size_t, cudaMemcpyKind);
cudaError_t cudaMemcpy2DArrayToArray_ptds(cudaArray_t, size_t, size_t, cudaArray_const_t, size_t,
                                          size_t, size_t, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyToArray_ptds(cudaArray_t, size_t, size_t, const void*, size_t,
                                   cudaMemcpyKind);
cudaError_t cudaMemcpyFromArray_ptds(void*, cudaArray_const_t, size_t, size_t, size_t,
                                     cudaMemcpyKind);
cudaError_t cudaMemcpyArrayToArray_ptds(cudaArray_t, size_t, size_t, cudaArray_const_t, size_t,
                                        size_t, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpy2DToArrayAsync_ptsz(cudaArray_t, size_t, size_t, const void*, size_t, size_t,
                                          size_t, cudaMemcpyKind, cudaStream_t);
cudaError_t cudaMemcpy2DFromArrayAsync_ptsz(void*, size_t, cudaArray_const_t, size_t, size_t,
                                            size_t, size_t, cudaMemcpyKind, cudaStream_t);
cudaError_t cudaMemcpyToArrayAsync_ptsz(cudaArray_t, size_t, size_t, const void*, size_t,
                                        cudaMemcpyKind, cudaStream_t);
cudaError_t cudaMemcpyFromArrayAsync_ptsz(void*, cudaArray_const_t, size_t, size_t, size_t,
                                          cudaMemcpyKind, cudaStream_t);
}

namespace harness::testing {
namespace {

constexpr auto kIn = cudaMemcpyHostToDevice;
constexpr auto kOut = cudaMemcpyDeviceToHost;
constexpr auto kAcross = cudaMemcpyDeviceToDevice;

/// Arrays of two rows of four integers.
class RuntimeArrays : public Runtime {
 protected:
  static constexpr std::size_t kRow = 16;

  void SetUp() override {
    Runtime::SetUp();
    ASSERT_OK(cudaMallocArray(&array_, &kInts, 4, 2, 0));
    ASSERT_OK(cudaMallocArray(&other_, &kInts, 4, 2, 0));
    clear(array_);
    clear(other_);
  }
  void TearDown() override {
    EXPECT_OK(cudaFreeArray(array_));
    EXPECT_OK(cudaFreeArray(other_));
    Runtime::TearDown();
  }
  /// Returns what an array holds after a call, and clears it.
  Values held(cudaError_t error, cudaArray_t array) {
    EXPECT_OK(error);
    EXPECT_OK(cudaDeviceSynchronize());
    Values values{};
    EXPECT_OK(cudaMemcpy2DFromArray(values.data(), kRow, array, 0, 0, kRow, 2, kOut));
    clear(array);
    return values;
  }
  static void clear(cudaArray_t array) {
    const Values zeroes{};
    EXPECT_OK(cudaMemcpy2DToArray(array, 0, 0, zeroes.data(), kRow, kRow, 2, kIn));
  }
  void fill(cudaArray_t array) {
    EXPECT_OK(cudaMemcpy2DToArray(array, 0, 0, kValues.data(), kRow, kRow, 2, kIn));
  }

  static constexpr cudaChannelFormatDesc kInts{32, 0, 0, 0, cudaChannelFormatKindSigned};
  static constexpr Values kValues{1, 2, 3, 4, 5, 6, 7, 8};
  cudaArray_t array_ = nullptr;
  cudaArray_t other_ = nullptr;
};

TEST_F(RuntimeArrays, TakeRows) {
  const int* from = kValues.data();
  EXPECT_EQ(held(cudaMemcpy2DToArray(array_, 0, 0, from, kRow, kRow, 2, kIn), array_), kValues);
  EXPECT_EQ(held(cudaMemcpy2DToArray_ptds(array_, 0, 0, from, kRow, kRow, 2, kIn), array_),
            kValues);
  EXPECT_EQ(held(cudaMemcpy2DToArrayAsync(array_, 0, 0, from, kRow, kRow, 2, kIn, nullptr), array_),
            kValues);
  EXPECT_EQ(
      held(cudaMemcpy2DToArrayAsync_ptsz(array_, 0, 0, from, kRow, kRow, 2, kIn, nullptr), array_),
      kValues);
}

TEST_F(RuntimeArrays, GiveRows) {
  Values to{};
  fill(array_);
  const auto given = [&](cudaError_t error) {
    EXPECT_OK(error);
    EXPECT_OK(cudaDeviceSynchronize());
    return std::exchange(to, {});
  };
  int* const at = to.data();
  EXPECT_EQ(given(cudaMemcpy2DFromArray(at, kRow, array_, 0, 0, kRow, 2, kOut)), kValues);
  EXPECT_EQ(given(cudaMemcpy2DFromArray_ptds(at, kRow, array_, 0, 0, kRow, 2, kOut)), kValues);
  EXPECT_EQ(given(cudaMemcpy2DFromArrayAsync(at, kRow, array_, 0, 0, kRow, 2, kOut, nullptr)),
            kValues);
  EXPECT_EQ(given(cudaMemcpy2DFromArrayAsync_ptsz(at, kRow, array_, 0, 0, kRow, 2, kOut, nullptr)),
            kValues);
  const Values from_third{3, 4, 5, 6};  // Runs over the end of the first row.
  EXPECT_EQ(given(cudaMemcpyFromArray(at, array_, 8, 0, 16, kOut)), from_third);
  EXPECT_EQ(given(cudaMemcpyFromArray_ptds(at, array_, 8, 0, 16, kOut)), from_third);
  EXPECT_EQ(given(cudaMemcpyFromArrayAsync(at, array_, 8, 0, 16, kOut, nullptr)), from_third);
  EXPECT_EQ(given(cudaMemcpyFromArrayAsync_ptsz(at, array_, 8, 0, 16, kOut, nullptr)), from_third);
}

TEST_F(RuntimeArrays, TakeBytesThatRunOverRows) {
  const int* from = kValues.data();
  const Values wanted{0, 0, 0, 1, 2, 3};
  EXPECT_EQ(held(cudaMemcpyToArray(array_, 12, 0, from, 12, kIn), array_), wanted);
  EXPECT_EQ(held(cudaMemcpyToArray_ptds(array_, 12, 0, from, 12, kIn), array_), wanted);
  EXPECT_EQ(held(cudaMemcpyToArrayAsync(array_, 12, 0, from, 12, kIn, nullptr), array_), wanted);
  EXPECT_EQ(held(cudaMemcpyToArrayAsync_ptsz(array_, 12, 0, from, 12, kIn, nullptr), array_),
            wanted);
}

TEST_F(RuntimeArrays, AreCopiedToEachOther) {
  fill(array_);
  EXPECT_EQ(held(cudaMemcpy2DArrayToArray(other_, 0, 0, array_, 0, 0, kRow, 2, kAcross), other_),
            kValues);
  EXPECT_EQ(
      held(cudaMemcpy2DArrayToArray_ptds(other_, 0, 0, array_, 0, 0, kRow, 2, kAcross), other_),
      kValues);
  const Values shifted{0, 3, 4, 5};
  EXPECT_EQ(held(cudaMemcpyArrayToArray(other_, 4, 0, array_, 8, 0, 12, kAcross), other_), shifted);
  EXPECT_EQ(held(cudaMemcpyArrayToArray_ptds(other_, 4, 0, array_, 8, 0, 12, kAcross), other_),
            shifted);
}

/// The extent of a copy with an array counts its elements.
TEST_F(RuntimeArrays, TakeSlices) {
  cudaMemcpy3DParms copy{};
  copy.srcPtr = {const_cast<int*>(kValues.data()), kRow, kRow, 2};
  copy.dstArray = array_;
  copy.dstPos = {1, 0, 0};
  copy.extent = {2, 2, 1};
  copy.kind = kIn;
  EXPECT_EQ(held(cudaMemcpy3D(&copy), array_), (Values{0, 1, 2, 0, 0, 5, 6, 0}));
}

TEST_F(RuntimeArrays, SayWhatTheyAreLike) {
  cudaChannelFormatDesc format{};
  cudaExtent extent{};
  unsigned flags = 9;
  ASSERT_OK(cudaArrayGetInfo(&format, &extent, &flags, array_));
  EXPECT_EQ(format.x, 32);
  EXPECT_EQ(format.f, cudaChannelFormatKindSigned);
  EXPECT_EQ(extent.width, 4U);
  EXPECT_EQ(extent.height, 2U);
  EXPECT_EQ(extent.depth, 0U);
  EXPECT_EQ(flags, 0U);
  EXPECT_OK(cudaGetChannelDesc(&(format = {}), array_));
  EXPECT_EQ(format.x, 32);
  const cudaChannelFormatDesc made =
      cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsigned);
  EXPECT_EQ(made.w, 8);
  EXPECT_EQ(made.f, cudaChannelFormatKindUnsigned);
  cudaArray_t solid = nullptr;
  ASSERT_OK(cudaMalloc3DArray(&solid, &made, {4, 4, 4}, cudaArraySurfaceLoadStore));
  EXPECT_OK(cudaArrayGetInfo(&format, &extent, &flags, solid));
  EXPECT_EQ(format.w, 8);
  EXPECT_EQ(extent.depth, 4U);
  EXPECT_EQ(flags, unsigned{cudaArraySurfaceLoadStore});
  EXPECT_OK(cudaFreeArray(solid));
  expect_error(cudaFreeArray(solid), cudaErrorInvalidResourceHandle);
  const cudaChannelFormatDesc three =
      cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindSigned);
  expect_error(cudaMallocArray(&solid, &three, 4, 4, 0), cudaErrorInvalidChannelDescriptor);
}

TEST_F(RuntimeArrays, HaveLevels) {
  cudaMipmappedArray_t levels = nullptr;
  ASSERT_OK(cudaMallocMipmappedArray(&levels, &kInts, {8, 8, 0}, 2, 0));
  cudaArray_t second = nullptr;
  ASSERT_OK(cudaGetMipmappedArrayLevel(&second, levels, 1));
  cudaExtent extent{};
  EXPECT_OK(cudaArrayGetInfo(nullptr, &extent, nullptr, second));
  EXPECT_EQ(extent.width, 4U);
  EXPECT_OK(cudaFreeMipmappedArray(levels));
  expect_error(cudaFreeMipmappedArray(levels), cudaErrorInvalidResourceHandle);
}

// ---- textures and surfaces ----------------------------------------------------------------------

TEST_F(RuntimeArrays, TexturesAreDescribedAndFetched) {
  int* memory = on_device({4, 5, 6});
  int* out = on_device();
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {memory, kInts, kBytes};
  cudaTextureDesc sampling{};
  sampling.readMode = cudaReadModeElementType;
  sampling.filterMode = cudaFilterModePoint;
  sampling.addressMode[0] = cudaAddressModeClamp;
  cudaTextureObject_t texture = 0;
  ASSERT_OK(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
  cudaResourceDesc found{};
  EXPECT_OK(cudaGetTextureObjectResourceDesc(&found, texture));
  EXPECT_EQ(found.resType, cudaResourceTypeLinear);
  EXPECT_EQ(found.res.linear.devPtr, memory);
  EXPECT_EQ(found.res.linear.desc.x, 32);
  EXPECT_EQ(found.res.linear.sizeInBytes, kBytes);
  cudaTextureDesc how{};
  how.readMode = cudaReadModeNormalizedFloat;
  EXPECT_OK(cudaGetTextureObjectTextureDesc(&how, texture));
  EXPECT_EQ(how.readMode, cudaReadModeElementType);
  EXPECT_EQ(how.addressMode[0], cudaAddressModeClamp);
  void* parameters[] = {&out, &texture};
  EXPECT_OK(cudaLaunchKernel(&host.sample, 1, 1, parameters, 0, nullptr));
  EXPECT_EQ(read(out)[0], 5);
  EXPECT_OK(cudaDestroyTextureObject(texture));
  expect_error(cudaDestroyTextureObject(texture), cudaErrorInvalidValue);
  EXPECT_OK(cudaFree(memory));
  EXPECT_OK(cudaFree(out));
}

TEST_F(RuntimeArrays, TexturesHaveViews) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array_;
  cudaTextureDesc sampling{};
  sampling.normalizedCoords = 1;
  cudaResourceViewDesc view{};
  view.format = cudaResViewFormatUnsignedInt1;
  view.width = 4;
  view.height = 2;
  cudaTextureObject_t texture = 0;
  ASSERT_OK(cudaCreateTextureObject(&texture, &resource, &sampling, &view));
  cudaResourceViewDesc found{};
  EXPECT_OK(cudaGetTextureObjectResourceViewDesc(&found, texture));
  EXPECT_EQ(found.format, cudaResViewFormatUnsignedInt1);
  EXPECT_EQ(found.width, 4U);
  EXPECT_OK(cudaDestroyTextureObject(texture));
}

TEST_F(RuntimeArrays, SurfacesAreDescribed) {
  cudaArray_t written = nullptr;
  ASSERT_OK(cudaMallocArray(&written, &kInts, 4, 2, cudaArraySurfaceLoadStore));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = written;
  cudaSurfaceObject_t surface = 0;
  ASSERT_OK(cudaCreateSurfaceObject(&surface, &resource));
  EXPECT_NE(surface, 0U);
  cudaResourceDesc found{};
  EXPECT_OK(cudaGetSurfaceObjectResourceDesc(&found, surface));
  EXPECT_EQ(found.res.array.array, written);
  EXPECT_OK(cudaDestroySurfaceObject(surface));
  expect_error(cudaDestroySurfaceObject(surface), cudaErrorInvalidValue);
  EXPECT_OK(cudaFreeArray(written));
}

}  // namespace
}  // namespace harness::testing
