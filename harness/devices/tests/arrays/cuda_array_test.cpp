// SPDX-License-Identifier: Apache-2.0
// The conformance suite of devices/: CUDA arrays, and graphs that copy them. Copies are in
// cuda_array_copy_test.cpp.
#include <array>

#include "harness/devices/tests/arrays/array_stage.h"

namespace harness::testing {
namespace {

class CudaArray : public OnEveryDevice {};

// ---- lives ------------------------------------------------------------------------------------

TEST_P(CudaArray, TheDescriptorIsThatOfItsCreation) {
  run([] {
    const CUDA_ARRAY_DESCRIPTOR wanted{5, 3, CU_AD_FORMAT_HALF, 4};
    CUarray array = nullptr;
    CUDA_OK(cuArrayCreate_v2(&array, &wanted));
    CUDA_ARRAY_DESCRIPTOR found{};
    CUDA_OK(cuArrayGetDescriptor_v2(&found, array));
    EXPECT_EQ(found.Width, 5u);
    EXPECT_EQ(found.Height, 3u);
    EXPECT_EQ(found.Format, CU_AD_FORMAT_HALF);
    EXPECT_EQ(found.NumChannels, 4u);
    CUDA_ARRAY3D_DESCRIPTOR whole{};
    CUDA_OK(cuArray3DGetDescriptor_v2(&whole, array));
    EXPECT_EQ(whole.Depth, 0u);
    CUDA_OK(cuArrayDestroy(array));
    array = make_array(4, 2, 3, CU_AD_FORMAT_UNSIGNED_INT8, 2, CUDA_ARRAY3D_LAYERED);
    CUDA_OK(cuArray3DGetDescriptor_v2(&whole, array));
    EXPECT_EQ(whole.Depth, 3u);
    EXPECT_EQ(whole.Flags, unsigned{CUDA_ARRAY3D_LAYERED});
    CUDA_OK(cuArrayDestroy(array));
  });
  expect_no_fault();
}

TEST_P(CudaArray, InvalidExtentsFormatsAndFlagsAreRefused) {
  run([] {
    CUarray array = nullptr;
    const auto create = [&](CUDA_ARRAY3D_DESCRIPTOR wanted) {
      return cuArray3DCreate_v2(&array, &wanted);
    };
    constexpr CUarray_format kFloat = CU_AD_FORMAT_FLOAT;
    constexpr CUresult kInvalid = CUDA_ERROR_INVALID_VALUE;
    EXPECT_EQ(create({0, 0, 0, kFloat, 1, 0}), kInvalid) << "no width";
    EXPECT_EQ(create({131073, 0, 0, kFloat, 1, 0}), kInvalid) << "too wide";
    EXPECT_EQ(create({4, 65537, 0, kFloat, 1, 0}), kInvalid) << "too high";
    EXPECT_EQ(create({4, 0, 2, kFloat, 1, 0}), kInvalid) << "depth without height";
    EXPECT_EQ(create({4, 4, 32769, kFloat, 1, 0}), kInvalid) << "too deep";
    EXPECT_EQ(create({8193, 4, 16385, kFloat, 1, 0}), kInvalid) << "too deep for one so wide";
    EXPECT_EQ(create({4, 0, 2049, kFloat, 1, CUDA_ARRAY3D_LAYERED}), kInvalid) << "layers";
    EXPECT_EQ(create({32769, 0, 0, kFloat, 1, CUDA_ARRAY3D_SURFACE_LDST}), kInvalid) << "surface";
    EXPECT_EQ(create({4, 4, 2, kFloat, 1, CUDA_ARRAY3D_TEXTURE_GATHER}), kInvalid) << "gather";
    EXPECT_EQ(create({4, 0, 0, kFloat, 3, 0}), kInvalid) << "three channels";
    EXPECT_EQ(create({4, 0, 0, static_cast<CUarray_format>(4), 1, 0}), kInvalid) << "no format";
    EXPECT_EQ(create({4, 0, 0, kFloat, 1, 1u << 20}), kInvalid) << "no flag";
    EXPECT_EQ(cuArray3DCreate_v2(nullptr, nullptr), kInvalid);
    EXPECT_EQ(cuArrayCreate_v2(&array, nullptr), kInvalid);
  });
  expect_no_fault();
}

TEST_P(CudaArray, ACubemapHasSixSquareFaces) {
  run([] {
    const CUarray cube = make_array(4, 4, 6, CU_AD_FORMAT_SIGNED_INT32, 1, CUDA_ARRAY3D_CUBEMAP);
    CUDA_ARRAY3D_DESCRIPTOR found{};
    CUDA_OK(cuArray3DGetDescriptor_v2(&found, cube));
    EXPECT_EQ(found.Depth, 6u);
    EXPECT_EQ(found.Flags, unsigned{CUDA_ARRAY3D_CUBEMAP});
    constexpr unsigned kLayers = CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED;
    CUDA_OK(cuArrayDestroy(make_array(4, 4, 12, CU_AD_FORMAT_SIGNED_INT32, 1, kLayers)));
    CUarray array = nullptr;
    const auto refused = [&](const char* what, std::size_t width, std::size_t height,
                             std::size_t depth, unsigned flags) {
      const CUDA_ARRAY3D_DESCRIPTOR wanted{width, height, depth, CU_AD_FORMAT_FLOAT, 1, flags};
      EXPECT_EQ(cuArray3DCreate_v2(&array, &wanted), CUDA_ERROR_INVALID_VALUE) << what;
    };
    refused("not square", 4, 3, 6, CUDA_ARRAY3D_CUBEMAP);
    refused("five faces", 4, 4, 5, CUDA_ARRAY3D_CUBEMAP);
    refused("two cubes without layers", 4, 4, 12, CUDA_ARRAY3D_CUBEMAP);
    refused("a cube and a half", 4, 4, 9, kLayers);
    refused("too many layers", 4, 4, 2052, kLayers);
    CUDA_OK(cuArrayDestroy(cube));
  });
  expect_no_fault();
}

TEST_P(CudaArray, ANarrowArrayMayBeDeeper) {
  run([] { CUDA_OK(cuArrayDestroy(make_array(4, 4, 16385))); });
  expect_no_fault();
}

TEST_P(CudaArray, AFormatThatIsNotSimulatedIsRefused) {
  if (GetParam() == Backend::gpu) GTEST_SKIP() << "a GPU has all of these";
  run([] {
    CUarray array = nullptr;
    const auto create = [&](CUDA_ARRAY3D_DESCRIPTOR wanted) {
      return cuArray3DCreate_v2(&array, &wanted);
    };
    EXPECT_EQ(create({4, 4, 0, CU_AD_FORMAT_BC1_UNORM, 4, 0}), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(create({4, 4, 0, CU_AD_FORMAT_UNORM_INT8X1, 1, 0}), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(create({16384, 16384, 16384, CU_AD_FORMAT_FLOAT, 4, 0}), CUDA_ERROR_OUT_OF_MEMORY);
  });
  expect_no_fault();
}

TEST_P(CudaArray, DestroyingAnArrayTwiceIsADoubleFree) {
  run([] {
    const CUarray array = make_array(4);
    CUDA_OK(cuArrayDestroy(array));
    EXPECT_EQ(cuArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
  });
  expect_fault("double_free");
}

TEST_P(CudaArray, QueryingADestroyedArrayIsAUseAfterFree) {
  run([] {
    const CUarray array = make_array(4);
    CUDA_OK(cuArrayDestroy(array));
    CUDA_ARRAY_DESCRIPTOR found{};
    EXPECT_EQ(cuArrayGetDescriptor_v2(&found, array), CUDA_ERROR_INVALID_HANDLE);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaArray, CopyingADestroyedArrayIsAUseAfterFree) {
  run([] {
    const CUarray array = make_array(4);
    CUDA_OK(cuArrayDestroy(array));
    std::array<int, 4> values{};
    EXPECT_NE(cuMemcpyAtoH_v2(values.data(), array, 0, sizeof values), CUDA_SUCCESS);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaArray, EndsWithItsContext) {
  run([] {
    CUcontext context = nullptr;
    CUcontext primary = nullptr;
    CUDA_OK(cuCtxGetCurrent(&primary));
    CUDA_OK(cuCtxCreate_v4(&context, nullptr, 0, 0));
    const CUarray array = make_array(4);
    CUDA_OK(cuCtxDestroy_v2(context));
    CUDA_OK(cuCtxSetCurrent(primary));
    CUDA_ARRAY_DESCRIPTOR found{};
    EXPECT_EQ(cuArrayGetDescriptor_v2(&found, array), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  });
  if (GetParam() == Backend::sim) expect_fault("use_after_free");
}

// ---- graphs and captures ----------------------------------------------------------------------

TEST_P(CudaArray, IsCopiedByAGraphNode) {
  run([] {
    const std::vector<int> values = numbers(12);
    const CUarray array = make_array(4, 3);
    CUgraph graph = nullptr;
    CUDA_OK(cuGraphCreate(&graph, 0));
    CUDA_MEMCPY3D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = values.data();
    copy.srcPitch = 16;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    copy.WidthInBytes = 16;
    copy.Height = 3;
    copy.Depth = 1;
    CUgraphNode node = nullptr;
    CUcontext context = nullptr;
    CUDA_OK(cuCtxGetCurrent(&context));
    CUDA_OK(cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy, context));
    CUgraphExec exec = nullptr;
    CUDA_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    CUDA_OK(cuGraphLaunch(exec, nullptr));
    EXPECT_EQ(values_in<int>(array, 4, 3), values);
  });
  expect_no_fault();
}

TEST_P(CudaArray, IsCopiedByACapturedGraph) {
  run([] {
    void* pinned = nullptr;
    CUDA_OK(cuMemAllocHost_v2(&pinned, 48));
    const CUarray array = make_array(4, 3);
    fill_array(array, numbers(12), 4);
    const CUstream stream = make_stream();
    CUDA_OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    const CUDA_MEMCPY2D copy = rows_from_array(array, static_cast<int*>(pinned), 4, 3);
    CUDA_OK(cuMemcpy2DAsync_v2(&copy, stream));
    CUgraph graph = nullptr;
    CUDA_OK(cuStreamEndCapture(stream, &graph));
    CUgraphExec exec = nullptr;
    CUDA_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    CUDA_OK(cuGraphLaunch(exec, stream));
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(static_cast<int*>(pinned)[11], 12);
  });
  expect_no_fault();
}

INSTANTIATE_ON_EVERY_DEVICE(CudaArray);

// ---- late work --------------------------------------------------------------------------------

class CudaArrayOrder : public UnderStrategy {};

/// An array that is destroyed before a launch of the graph whose node copies it.
TEST_F(CudaArrayOrder, ANodeThatCopiesADestroyedArrayIsAUseAfterFree) {
  run(Plain(), [] {
    std::array<int, 4> values{};
    const CUarray array = make_array(4);
    const CUstream stream = make_stream();
    CUDA_OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    CUDA_OK(cuMemcpyHtoAAsync_v2(array, 0, values.data(), 16, stream));
    CUgraph graph = nullptr;
    CUDA_OK(cuStreamEndCapture(stream, &graph));
    CUgraphExec exec = nullptr;
    CUDA_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    CUDA_OK(cuArrayDestroy(array));
    cuGraphLaunch(exec, stream);
    cuStreamSynchronize(stream);
  });
  ASSERT_EQ(stage.fault(), "use_after_free");
  EXPECT_EQ(stage.faults.front().object_kind.view(), "CUDA array");
}

TEST_F(CudaArrayOrder, UnorderedWritesOfTwoStreamsRace) {
  stage.judge_order();
  run(Plain(), [] {
    std::array<int, 4> values{};
    const CUarray array = make_array(4);
    CUDA_OK(cuMemcpyHtoAAsync_v2(array, 0, values.data(), 16, make_stream()));
    CUDA_OK(cuMemcpyHtoAAsync_v2(array, 0, values.data(), 16, make_stream()));
    cuCtxSynchronize();
  });
  EXPECT_EQ(stage.fault(), "data_race");
}

TEST_F(CudaArrayOrder, DestructionWaitsForWorkInFlight) {
  run(lagging(), [] {
    void* pinned = nullptr;
    CUDA_OK(cuMemAllocHost_v2(&pinned, 16));
    const CUarray array = make_array(4);
    CUDA_OK(cuMemcpyHtoAAsync_v2(array, 0, pinned, 16, make_stream()));
    CUDA_OK(cuArrayDestroy(array));
  });
  expect_finished();
}

TEST_F(CudaArrayOrder, ItsStorageIsReusedOnlyByArrays) {
  run(Always(Site::reuse, 1), [] {
    const CUarray first = make_array(4);
    fill_array(first, numbers(4), 4);
    CUDA_OK(cuArrayDestroy(first));
    EXPECT_NE(read_int(allocate(16)), 1) << "memory of cuMemAlloc is another's";
    EXPECT_EQ(values_in<int>(make_array(4), 4, 1), numbers(4));
  });
  expect_finished();
}

}  // namespace
}  // namespace harness::testing
