// SPDX-License-Identifier: Apache-2.0
// The conformance suite of devices/: textures and surfaces, and accesses of kernels through them.
#include <gmock/gmock.h>

#include <array>

#include "harness/devices/tests/arrays/array_stage.h"

namespace harness::testing {
namespace {

using ::testing::ElementsAre;

class CudaTexture : public OnEveryDevice {
 protected:
  /// Returns what a texture gives at these places, by a thread each.
  std::vector<float> fetched(CUtexObject texture, const std::vector<float>& places) const {
    const std::size_t count = places.size() / 2;
    CUdeviceptr in = allocate(places.size() * 4);
    CUdeviceptr out = allocate(count * 4);
    EXPECT_EQ(cuMemcpyHtoD_v2(in, places.data(), places.size() * 4), CUDA_SUCCESS);
    const CUfunction kernel = get_kernel(image(), "fetch_places");
    EXPECT_EQ(launch(kernel, 1, static_cast<unsigned>(count), nullptr, {&texture, &in, &out}),
              CUDA_SUCCESS);
    std::vector<float> values(count, -1.0F);
    EXPECT_EQ(cuMemcpyDtoH_v2(values.data(), out, count * 4), CUDA_SUCCESS);
    return values;
  }
};

/// Two rows: 0, 10, 20, 30 and 40, 50, 60, 70.
CUarray make_ramp() {
  const CUarray array = make_array(4, 2, 0, CU_AD_FORMAT_FLOAT);
  std::vector<float> values(8);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 10.0F * static_cast<float>(i);
  fill_array(array, values, 4);
  return array;
}

// ---- reads ------------------------------------------------------------------------------------

TEST_P(CudaTexture, ReadsTheNearestTexelAndClampsCoordinates) {
  run([this] {
    const CUtexObject texture = make_texture(resource_of(make_ramp()));
    EXPECT_THAT(fetched(texture, {0.5F, 0.5F, 1.99F, 1.0F, -3, 0, 9, 9}),
                ElementsAre(0, 50, 0, 70));
    CUDA_OK(cuTexObjectDestroy(texture));
  });
  expect_no_fault();
}

TEST_P(CudaTexture, FiltersBetweenTexels) {
  run([this] {
    const CUtexObject texture =
        make_texture(resource_of(make_ramp()), clamped(CU_TR_FILTER_MODE_LINEAR));
    EXPECT_THAT(fetched(texture, {1, 0.5F, 0.75F, 0.5F, 1, 1, 4, 2}), ElementsAre(5, 2.5F, 25, 70));
  });
  expect_no_fault();
}

TEST_P(CudaTexture, WrapsAndMirrorsNormalizedCoordinates) {
  run([this] {
    CUDA_TEXTURE_DESC sampling = clamped(CU_TR_FILTER_MODE_POINT, CU_TRSF_NORMALIZED_COORDINATES);
    sampling.addressMode[0] = CU_TR_ADDRESS_MODE_WRAP;
    sampling.addressMode[1] = CU_TR_ADDRESS_MODE_MIRROR;
    const CUtexObject texture = make_texture(resource_of(make_ramp()), sampling);
    EXPECT_THAT(fetched(texture, {1.125F, 0, -0.125F, 0, 0, 1.25F, 0, 1.75F}),
                ElementsAre(0, 30, 40, 0));
  });
  expect_no_fault();
}

/// The guide has 9 bits for a weight, of which the first stands for 1.
TEST_P(CudaTexture, AWeightIsRoundedToEightBits) {
  if (GetParam() == Backend::gpu) GTEST_SKIP() << "no document says how it is rounded";
  run([this] {
    const CUtexObject texture =
        make_texture(resource_of(make_ramp()), clamped(CU_TR_FILTER_MODE_LINEAR));
    EXPECT_THAT(fetched(texture, {0.5F + 0.999F, 0.5F, 0.5F + 0.2512F, 0.5F}),
                ElementsAre(10, 2.5F));
  });
  expect_no_fault();
}

TEST_P(CudaTexture, ClampsUnnormalizedCoordinates) {
  run([this] {
    CUDA_TEXTURE_DESC sampling = clamped();
    sampling.addressMode[0] = CU_TR_ADDRESS_MODE_WRAP;
    sampling.addressMode[1] = CU_TR_ADDRESS_MODE_MIRROR;
    const CUtexObject texture = make_texture(resource_of(make_ramp()), sampling);
    EXPECT_THAT(fetched(texture, {4.5F, 0, -1, 3.5F}), ElementsAre(30, 40));
  });
  expect_no_fault();
}

TEST_P(CudaTexture, ReadsTheBorderColor) {
  run([this] {
    CUDA_TEXTURE_DESC sampling = clamped();
    for (CUaddress_mode& mode : sampling.addressMode) mode = CU_TR_ADDRESS_MODE_BORDER;
    sampling.borderColor[0] = 7;
    const CUtexObject texture = make_texture(resource_of(make_ramp()), sampling);
    EXPECT_THAT(fetched(texture, {-0.5F, 0, 0, 2.5F, 3.5F, 1.5F}), ElementsAre(7, 7, 70));
  });
  expect_no_fault();
}

TEST_P(CudaTexture, ReadsIntegersAsNormalizedFloats) {
  run([this] {
    const CUarray array = make_array(2, 1, 0, CU_AD_FORMAT_SIGNED_INT8);
    fill_array<signed char>(array, {127, -128}, 2);
    const CUtexObject texture = make_texture(resource_of(array));
    EXPECT_THAT(fetched(texture, {0, 0, 1, 0}), ElementsAre(1, -1));
  });
  expect_no_fault();
}

TEST_P(CudaTexture, ReadsLinearMemoryByIndex) {
  run([this] {
    std::array<int, 4> values{5, 6, 7, 8};
    CUdeviceptr memory = allocate(16);
    CUdeviceptr out = allocate(24);
    CUDA_OK(cuMemcpyHtoD_v2(memory, values.data(), 16));
    CUtexObject texture = make_texture(linear_resource(memory, 16),
                                       clamped(CU_TR_FILTER_MODE_POINT, CU_TRSF_READ_AS_INTEGER));
    const CUfunction kernel = get_kernel(image(), "fetch_texels");
    CUDA_OK(launch(kernel, 1, 6, nullptr, {&texture, &out}));
    std::array<int, 6> found{};
    CUDA_OK(cuMemcpyDtoH_v2(found.data(), out, 24));
    EXPECT_THAT(found, ElementsAre(5, 6, 7, 8, 0, 0));
  });
  expect_no_fault();
}

TEST_P(CudaTexture, ReadsPitchedMemory) {
  run([this] {
    const CUdeviceptr memory = allocate(1024);
    const std::array<float, 2> rows{3, 4};
    CUDA_OK(cuMemcpyHtoD_v2(memory + 4, &rows[0], 4));
    CUDA_OK(cuMemcpyHtoD_v2(memory + 512 + 4, &rows[1], 4));
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_PITCH2D;
    resource.res.pitch2D = {memory, CU_AD_FORMAT_FLOAT, 1, 2, 2, 512};
    EXPECT_THAT(fetched(make_texture(resource), {1, 0, 1, 1}), ElementsAre(3, 4));
  });
  expect_no_fault();
}

TEST_P(CudaTexture, ReadsInTheFormatOfAView) {
  run([this] {
    const CUarray array = make_array(2, 1, 0, CU_AD_FORMAT_UNSIGNED_INT32);
    fill_array<std::uint32_t>(array, {0x3f800000, 0x40000000}, 2);
    const CUDA_RESOURCE_DESC resource = resource_of(array);
    const CUDA_TEXTURE_DESC sampling = clamped();
    CUDA_RESOURCE_VIEW_DESC view{};
    view.format = CU_RES_VIEW_FORMAT_FLOAT_1X32;
    view.width = 2;
    view.height = 1;
    CUtexObject texture = 0;
    CUDA_OK(cuTexObjectCreate(&texture, &resource, &sampling, &view));
    EXPECT_THAT(fetched(texture, {0, 0, 1, 0}), ElementsAre(1, 2));
    CUDA_RESOURCE_VIEW_DESC found{};
    CUDA_OK(cuTexObjectGetResourceViewDesc(&found, texture));
    EXPECT_EQ(found.format, CU_RES_VIEW_FORMAT_FLOAT_1X32);
  });
  expect_no_fault();
}

TEST_P(CudaTexture, SurfacesAreAddressedInBytes) {
  run([this] {
    const CUarray array =
        make_array(4, 2, 0, CU_AD_FORMAT_SIGNED_INT32, 1, CUDA_ARRAY3D_SURFACE_LDST);
    std::vector<int> values{1, 2, 3, 4, 5, 6, 7, 8};
    fill_array(array, values, 4);
    CUsurfObject surface = make_surface(array);
    const CUfunction kernel = get_kernel(image(), "add_one_to_surface");
    CUDA_OK(launch(kernel, 2, 4, nullptr, {&surface}));
    for (int& value : values) ++value;
    EXPECT_EQ(values_in<int>(array, 4, 2), values);
    CUDA_OK(cuSurfObjectDestroy(surface));
  });
  expect_no_fault();
}

// ---- queries and refusals ---------------------------------------------------------------------

TEST_P(CudaTexture, TheDescriptorIsThatOfItsCreation) {
  run([] {
    const CUarray array = make_array(4, 2, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST);
    const CUtexObject texture = make_texture(resource_of(array), clamped(CU_TR_FILTER_MODE_LINEAR));
    const CUsurfObject surface = make_surface(array);
    CUDA_RESOURCE_DESC resource{};
    CUDA_TEXTURE_DESC sampling{};
    CUDA_RESOURCE_VIEW_DESC view{};
    CUDA_OK(cuTexObjectGetResourceDesc(&resource, texture));
    EXPECT_EQ(resource.res.array.hArray, array);
    CUDA_OK(cuTexObjectGetTextureDesc(&sampling, texture));
    EXPECT_EQ(sampling.filterMode, CU_TR_FILTER_MODE_LINEAR);
    CUDA_OK(cuTexObjectGetResourceViewDesc(&view, texture));  // It has none, which is not an error.
    resource = {};
    CUDA_OK(cuSurfObjectGetResourceDesc(&resource, surface));
    EXPECT_EQ(resource.res.array.hArray, array);
  });
  expect_no_fault();
}

TEST_P(CudaTexture, AnInvalidResourceIsRefused) {
  run([] {
    const CUdeviceptr memory = allocate(1024);
    const CUDA_TEXTURE_DESC sampling = clamped();
    CUtexObject texture = 0;
    const auto refused = [&](const char* what, CUDA_RESOURCE_DESC resource, auto change) {
      change(resource);
      EXPECT_EQ(cuTexObjectCreate(&texture, &resource, &sampling, nullptr),
                CUDA_ERROR_INVALID_VALUE)
          << what;
    };
    const CUDA_RESOURCE_DESC linear = linear_resource(memory, 16);
    refused("flags", linear, [](CUDA_RESOURCE_DESC& resource) { resource.flags = 1; });
    refused("alignment", linear,
            [](CUDA_RESOURCE_DESC& resource) { resource.res.linear.devPtr += 4; });
    refused("three channels", linear,
            [](CUDA_RESOURCE_DESC& resource) { resource.res.linear.numChannels = 3; });
    refused("no type", linear, [](CUDA_RESOURCE_DESC& resource) {
      resource.resType = static_cast<CUresourcetype>(9);
    });
    CUDA_RESOURCE_DESC rows{};
    rows.resType = CU_RESOURCE_TYPE_PITCH2D;
    rows.res.pitch2D = {memory, CU_AD_FORMAT_FLOAT, 1, 4, 2, 512};
    refused("too high", rows,
            [](CUDA_RESOURCE_DESC& resource) { resource.res.pitch2D.height = 65001; });
    refused("pitch that is not aligned", rows,
            [](CUDA_RESOURCE_DESC& resource) { resource.res.pitch2D.pitchInBytes = 48; });
    refused("pitch that is too long", rows, [](CUDA_RESOURCE_DESC& resource) {
      resource.res.pitch2D.height = 1;
      resource.res.pitch2D.pitchInBytes = 2097152;
    });
    EXPECT_EQ(cuTexObjectCreate(&texture, &linear, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
    if (GetParam() == Backend::gpu) return;  // An H200 takes these; of no pitch it was not asked.
    refused("no pitch", rows,
            [](CUDA_RESOURCE_DESC& resource) { resource.res.pitch2D.pitchInBytes = 0; });
    refused("no width", rows, [](CUDA_RESOURCE_DESC& resource) { resource.res.pitch2D.width = 0; });
    refused("no bytes", linear,
            [](CUDA_RESOURCE_DESC& resource) { resource.res.linear.sizeInBytes = 0; });
    refused("too many bytes", linear, [](CUDA_RESOURCE_DESC& resource) {
      resource.res.linear.sizeInBytes = std::size_t{1} << 31;
    });
  });
  expect_no_fault();
}

/// cuda.h bounds a pitch by its alignment and by the longest there is; an H200 takes this one, too.
TEST_P(CudaTexture, APitchMayBeShorterThanARow) {
  run([] {
    CUDA_RESOURCE_DESC rows{};
    rows.resType = CU_RESOURCE_TYPE_PITCH2D;
    rows.res.pitch2D = {allocate(1024), CU_AD_FORMAT_FLOAT, 1, 9, 2, 32};
    CUDA_OK(cuTexObjectDestroy(make_texture(rows)));
  });
  expect_no_fault();
}

TEST_P(CudaTexture, AnInvalidTextureDescriptorIsRefused) {
  run([] {
    const CUDA_RESOURCE_DESC resource = resource_of(make_array(4, 2));
    CUtexObject texture = 0;
    const auto refused = [&](const char* what, auto change) {
      CUDA_TEXTURE_DESC sampling = clamped();
      change(sampling);
      EXPECT_EQ(cuTexObjectCreate(&texture, &resource, &sampling, nullptr),
                CUDA_ERROR_INVALID_VALUE)
          << what;
    };
    refused("no address mode", [](CUDA_TEXTURE_DESC& sampling) {
      sampling.addressMode[1] = static_cast<CUaddress_mode>(4);
    });
    refused("no filter", [](CUDA_TEXTURE_DESC& sampling) {
      sampling.filterMode = static_cast<CUfilter_mode>(2);
    });
    refused("no flag", [](CUDA_TEXTURE_DESC& sampling) { sampling.flags = 0x100; });
    refused("no cube",
            [](CUDA_TEXTURE_DESC& sampling) { sampling.flags = CU_TRSF_SEAMLESS_CUBEMAP; });
    if (GetParam() != Backend::gpu)  // An H200 takes it.
      refused("integers, between which is nothing",
              [](CUDA_TEXTURE_DESC& sampling) { sampling.filterMode = CU_TR_FILTER_MODE_LINEAR; });
    const CUDA_TEXTURE_DESC sampling = clamped();
    CUDA_RESOURCE_VIEW_DESC view{};
    view.format = CU_RES_VIEW_FORMAT_FLOAT_2X32;
    view.width = 4;
    view.height = 2;
    EXPECT_EQ(cuTexObjectCreate(&texture, &resource, &sampling, &view), CUDA_ERROR_INVALID_VALUE)
        << "a view of another size";
    view.format = CU_RES_VIEW_FORMAT_FLOAT_1X32;
    view.lastLayer = 1;
    EXPECT_EQ(cuTexObjectCreate(&texture, &resource, &sampling, &view), CUDA_ERROR_INVALID_VALUE)
        << "a layer that is not there";
    view.lastLayer = 0;
    view.height = 1;
    EXPECT_EQ(cuTexObjectCreate(&texture, &resource, &sampling, &view), CUDA_ERROR_INVALID_VALUE)
        << "a view of another height";
  });
  expect_no_fault();
}

TEST_P(CudaTexture, AFeatureThatIsNotSimulatedIsRefused) {
  if (GetParam() == Backend::gpu) GTEST_SKIP() << "a GPU has all of these";
  run([] {
    const CUDA_RESOURCE_DESC resource =
        resource_of(make_array(4, 2, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4));
    const CUDA_TEXTURE_DESC srgb = clamped(CU_TR_FILTER_MODE_POINT, CU_TRSF_SRGB);
    CUtexObject texture = 0;
    EXPECT_EQ(cuTexObjectCreate(&texture, &resource, &srgb, nullptr), CUDA_ERROR_NOT_SUPPORTED);
  });
  expect_no_fault();
}

TEST_P(CudaTexture, ASurfaceNeedsAnArray) {
  run([] {
    CUsurfObject surface = 0;
    const CUDA_RESOURCE_DESC plain = resource_of(make_array(4, 2));
    CUDA_OK(cuSurfObjectCreate(&surface, &plain));  // Also one that was not made for surfaces.
    const CUDA_RESOURCE_DESC linear = linear_resource(allocate(64), 64);
    EXPECT_EQ(cuSurfObjectCreate(&surface, &linear), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuSurfObjectCreate(&surface, nullptr), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

// ---- lives ------------------------------------------------------------------------------------

TEST_P(CudaTexture, DestroyingATextureTwiceIsADoubleFree) {
  run([] {
    const CUtexObject texture = make_texture(resource_of(make_array(4, 2)));
    CUDA_OK(cuTexObjectDestroy(texture));
    EXPECT_EQ(cuTexObjectDestroy(texture), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("double_free");
}

TEST_P(CudaTexture, DestroyingASurfaceTwiceIsADoubleFree) {
  run([] {
    const CUsurfObject surface =
        make_surface(make_array(4, 2, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST));
    CUDA_OK(cuSurfObjectDestroy(surface));
    EXPECT_EQ(cuSurfObjectDestroy(surface), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("double_free");
}

TEST_P(CudaTexture, QueryingADestroyedTextureIsAUseAfterFree) {
  run([] {
    const CUtexObject texture = make_texture(resource_of(make_array(4, 2)));
    CUDA_OK(cuTexObjectDestroy(texture));
    CUDA_TEXTURE_DESC sampling{};
    EXPECT_EQ(cuTexObjectGetTextureDesc(&sampling, texture), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaTexture, CreatingATextureOfADestroyedArrayIsAUseAfterFree) {
  run([] {
    const CUarray array = make_array(4, 2);
    CUDA_OK(cuArrayDestroy(array));
    const CUDA_RESOURCE_DESC resource = resource_of(array);
    const CUDA_TEXTURE_DESC sampling = clamped();
    CUtexObject texture = 0;
    EXPECT_NE(cuTexObjectCreate(&texture, &resource, &sampling, nullptr), CUDA_SUCCESS);
  });
  expect_fault("use_after_free");
}

INSTANTIATE_ON_EVERY_DEVICE(CudaTexture);

}  // namespace
}  // namespace harness::testing
