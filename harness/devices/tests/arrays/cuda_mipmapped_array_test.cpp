// SPDX-License-Identifier: Apache-2.0
// The conformance suite of devices/: mipmapped arrays, their levels and their lifetimes. Reads by
// kernels are tested in ptx/texture_level_test.cpp.
#include "harness/devices/tests/arrays/array_stage.h"

namespace harness::testing {
namespace {

class CudaMipmappedArray : public OnEveryDevice {};

CUmipmappedArray make_mipmapped(std::size_t width, std::size_t height = 0, std::size_t depth = 0,
                                unsigned level_count = 99, unsigned flags = 0) {
  const CUDA_ARRAY3D_DESCRIPTOR wanted{width, height, depth, CU_AD_FORMAT_SIGNED_INT32, 1, flags};
  CUmipmappedArray array = nullptr;
  EXPECT_EQ(cuMipmappedArrayCreate(&array, &wanted, level_count), CUDA_SUCCESS);
  return array;
}

CUarray level_of(CUmipmappedArray array, unsigned index) {
  CUarray level = nullptr;
  EXPECT_EQ(cuMipmappedArrayGetLevel(&level, array, index), CUDA_SUCCESS);
  return level;
}

CUDA_ARRAY3D_DESCRIPTOR described(CUarray array) {
  CUDA_ARRAY3D_DESCRIPTOR found{};
  EXPECT_EQ(cuArray3DGetDescriptor_v2(&found, array), CUDA_SUCCESS);
  return found;
}

CUDA_RESOURCE_DESC resource_of(CUmipmappedArray array) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  resource.res.mipmap.hMipmappedArray = array;
  return resource;
}

CUDA_TEXTURE_DESC normalized() {
  return clamped(CU_TR_FILTER_MODE_POINT, CU_TRSF_NORMALIZED_COORDINATES);
}

// ---- levels -----------------------------------------------------------------------------------

TEST_P(CudaMipmappedArray, EachLevelIsHalfThePreviousOne) {
  run([] {
    const CUmipmappedArray array = make_mipmapped(20, 5, 3);
    constexpr std::size_t kExtents[][3] = {{20, 5, 3}, {10, 2, 1}, {5, 1, 1}, {2, 1, 1}, {1, 1, 1}};
    for (unsigned i = 0; i < 5; ++i) {
      const CUDA_ARRAY3D_DESCRIPTOR found = described(level_of(array, i));
      EXPECT_EQ(found.Width, kExtents[i][0]) << i;
      EXPECT_EQ(found.Height, kExtents[i][1]) << i;
      EXPECT_EQ(found.Depth, kExtents[i][2]) << i;
    }
    CUarray none = nullptr;
    EXPECT_EQ(cuMipmappedArrayGetLevel(&none, array, 5), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuMipmappedArrayDestroy(array));
  });
  expect_no_fault();
}

TEST_P(CudaMipmappedArray, EachLevelHasAllLayersAndFaces) {
  run([] {
    const CUmipmappedArray layers = make_mipmapped(8, 0, 5, 2, CUDA_ARRAY3D_LAYERED);
    EXPECT_EQ(described(level_of(layers, 1)).Width, 4u);
    EXPECT_EQ(described(level_of(layers, 1)).Depth, 5u);
    CUarray none = nullptr;
    EXPECT_EQ(cuMipmappedArrayGetLevel(&none, layers, 2), CUDA_ERROR_INVALID_VALUE)
        << "as many levels as were asked for";
    const CUmipmappedArray cube = make_mipmapped(8, 8, 6, 99, CUDA_ARRAY3D_CUBEMAP);
    EXPECT_EQ(described(level_of(cube, 3)).Height, 1u);
    EXPECT_EQ(described(level_of(cube, 3)).Depth, 6u);
    EXPECT_EQ(cuMipmappedArrayGetLevel(&none, cube, 4), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuMipmappedArrayDestroy(layers));
    CUDA_OK(cuMipmappedArrayDestroy(cube));
  });
  expect_no_fault();
}

TEST_P(CudaMipmappedArray, EachLevelHasItsOwnTexels) {
  run([] {
    const CUmipmappedArray array = make_mipmapped(4, 2);
    const CUarray first = level_of(array, 0);
    const CUarray second = level_of(array, 1);
    fill_array(second, std::vector<int>{91, 92}, 2);
    fill_array(first, numbers(8), 4);
    EXPECT_EQ(values_in<int>(first, 4, 2), numbers(8));
    EXPECT_EQ(values_in<int>(second, 2, 1), (std::vector<int>{91, 92}));
    CUDA_OK(cuMipmappedArrayDestroy(array));
  });
  expect_no_fault();
}

TEST_P(CudaMipmappedArray, InvalidExtentsAndZeroLevelsAreRefused) {
  run([] {
    CUmipmappedArray array = nullptr;
    CUDA_ARRAY3D_DESCRIPTOR wanted{0, 0, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    EXPECT_EQ(cuMipmappedArrayCreate(&array, &wanted, 1), CUDA_ERROR_INVALID_VALUE) << "no width";
    wanted = {4, 4, 5, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP};
    EXPECT_EQ(cuMipmappedArrayCreate(&array, &wanted, 1), CUDA_ERROR_INVALID_VALUE) << "five faces";
    constexpr std::size_t kTooLarge[][2] = {{32769, 0}, {32769, 4}, {4, 32769}};
    for (const auto& [width, height] : kTooLarge) {
      wanted = {width, height, 0, CU_AD_FORMAT_FLOAT, 1, 0};
      EXPECT_EQ(cuMipmappedArrayCreate(&array, &wanted, 1), CUDA_ERROR_INVALID_VALUE)
          << width << " by " << height;
    }
    wanted = {4, 0, 0, CU_AD_FORMAT_FLOAT, 3, 0};
    EXPECT_EQ(cuMipmappedArrayCreate(&array, &wanted, 1), CUDA_ERROR_INVALID_VALUE) << "channels";
    EXPECT_EQ(cuMipmappedArrayCreate(nullptr, &wanted, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMipmappedArrayCreate(&array, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
    array = make_mipmapped(4, 0, 0, 0);  // No levels are one.
    CUarray none = nullptr;
    EXPECT_EQ(cuMipmappedArrayGetLevel(&none, array, 1), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuMipmappedArrayDestroy(array));
  });
  expect_no_fault();
}

TEST_P(CudaMipmappedArray, ASurfaceWritesALevel) {
  run([this] {
    const CUmipmappedArray array = make_mipmapped(8, 4, 0, 99, CUDA_ARRAY3D_SURFACE_LDST);
    const CUarray level = level_of(array, 1);
    fill_array(level, numbers(8), 4);
    CUsurfObject surface = make_surface(level);
    const CUfunction kernel = get_kernel(image(), "add_one_to_surface");
    CUDA_OK(launch(kernel, 2, 4, nullptr, {&surface}));
    EXPECT_EQ(values_in<int>(level, 4, 2), (std::vector<int>{2, 3, 4, 5, 6, 7, 8, 9}));
    CUDA_OK(cuSurfObjectDestroy(surface));
    CUDA_OK(cuMipmappedArrayDestroy(array));
  });
  expect_no_fault();
}

TEST_P(CudaMipmappedArray, ATextureOfItNeedsNormalizedCoordinates) {
  run([] {
    const CUmipmappedArray array = make_mipmapped(4, 2);
    CUDA_RESOURCE_DESC resource = resource_of(array);
    const CUtexObject texture = make_texture(resource, normalized());
    resource = {};
    CUDA_OK(cuTexObjectGetResourceDesc(&resource, texture));
    EXPECT_EQ(resource.res.mipmap.hMipmappedArray, array);
    CUDA_OK(cuTexObjectDestroy(texture));
    // Driver 580 takes others, too; and no document says what becomes of such a view.
    if (GetParam() == Backend::gpu) return;
    const CUDA_TEXTURE_DESC sampling = clamped();
    CUtexObject none = 0;
    EXPECT_EQ(cuTexObjectCreate(&none, &resource, &sampling, nullptr), CUDA_ERROR_INVALID_VALUE);
    CUDA_RESOURCE_VIEW_DESC view{};
    view.format = CU_RES_VIEW_FORMAT_SINT_1X32;
    view.width = 4;
    view.height = 2;
    view.firstMipmapLevel = 1;
    view.lastMipmapLevel = 3;
    const CUDA_TEXTURE_DESC whole = normalized();
    EXPECT_EQ(cuTexObjectCreate(&none, &resource, &whole, &view), CUDA_ERROR_INVALID_VALUE)
        << "a level that is not there";
    CUDA_OK(cuMipmappedArrayDestroy(array));
  });
  expect_no_fault();
}

// ---- lives ------------------------------------------------------------------------------------

TEST_P(CudaMipmappedArray, DestroyingItTwiceIsADoubleFree) {
  run([] {
    const CUmipmappedArray array = make_mipmapped(4);
    CUDA_OK(cuMipmappedArrayDestroy(array));
    EXPECT_EQ(cuMipmappedArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
  });
  expect_fault("double_free");
}

TEST_P(CudaMipmappedArray, QueryingALevelAfterDestructionIsAUseAfterFree) {
  run([] {
    const CUmipmappedArray array = make_mipmapped(4);
    CUDA_OK(cuMipmappedArrayDestroy(array));
    CUarray level = nullptr;
    EXPECT_EQ(cuMipmappedArrayGetLevel(&level, array, 0), CUDA_ERROR_INVALID_HANDLE);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaMipmappedArray, UsingALevelAfterDestructionIsAUseAfterFree) {
  run([] {
    const CUmipmappedArray array = make_mipmapped(4);
    const CUarray level = level_of(array, 1);
    CUDA_OK(cuMipmappedArrayDestroy(array));
    std::array<int, 2> values{};
    EXPECT_NE(cuMemcpyAtoH_v2(values.data(), level, 0, sizeof values), CUDA_SUCCESS);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaMipmappedArray, ATextureOfADestroyedArrayIsAUseAfterFree) {
  run([] {
    const CUmipmappedArray array = make_mipmapped(4, 2);
    CUDA_OK(cuMipmappedArrayDestroy(array));
    const CUDA_RESOURCE_DESC resource = resource_of(array);
    const CUDA_TEXTURE_DESC sampling = normalized();
    CUtexObject texture = 0;
    EXPECT_NE(cuTexObjectCreate(&texture, &resource, &sampling, nullptr), CUDA_SUCCESS);
  });
  expect_fault("use_after_free");
}

INSTANTIATE_ON_EVERY_DEVICE(CudaMipmappedArray);

// ---- faults that only the simulated driver reports --------------------------------------------

class CudaMipmappedArrayLife : public UnderStrategy {};

TEST_F(CudaMipmappedArrayLife, DestroyingASingleLevelIsRefused) {
  run(Plain(), [] {
    const CUmipmappedArray array = make_mipmapped(4);
    EXPECT_EQ(cuArrayDestroy(level_of(array, 1)), CUDA_ERROR_INVALID_HANDLE);
  });
  EXPECT_EQ(stage.fault(), "api_misuse");
}

TEST_F(CudaMipmappedArrayLife, AKernelReadingADestroyedArrayIsAUseAfterFree) {
  run(Plain(), [] {
    const CUmipmappedArray array = make_mipmapped(4);
    CUtexObject texture = make_texture(resource_of(array), normalized());
    CUDA_OK(cuMipmappedArrayDestroy(array));
    CUdeviceptr out = allocate(4);
    CUDA_OK(launch(get_kernel(&afterlife_kernels_conformance, "fetch_texels"), 1, 1, nullptr,
                   {&texture, &out}));
  });
  ASSERT_EQ(stage.fault(), "use_after_free");
  EXPECT_EQ(stage.faults.front().object_kind.view(), "CUDA array");
  EXPECT_EQ(stage.faults.front().use_site.view(), "fetch_texels");
  EXPECT_EQ(stage.faults.front().death_site.view(), "cuMipmappedArrayDestroy");
}

TEST_F(CudaMipmappedArrayLife, EndsWithItsContext) {
  run(Plain(), [] {
    CUcontext primary = nullptr;
    CUcontext context = nullptr;
    CUDA_OK(cuCtxGetCurrent(&primary));
    CUDA_OK(cuCtxCreate_v4(&context, nullptr, 0, 0));
    const CUmipmappedArray array = make_mipmapped(4);
    CUDA_OK(cuCtxDestroy_v2(context));
    CUDA_OK(cuCtxSetCurrent(primary));
    CUarray level = nullptr;
    EXPECT_NE(cuMipmappedArrayGetLevel(&level, array, 0), CUDA_SUCCESS);
  });
  EXPECT_EQ(stage.fault(), "use_after_free");
}

}  // namespace
}  // namespace harness::testing
