// SPDX-License-Identifier: Apache-2.0
// The conformance suite of devices/: queries of functions, and occupancy.
#include <algorithm>
#include <vector>

#include "harness/devices/tests/cuda_stage.h"

namespace harness::testing {
namespace {

class CudaFunction : public OnEveryDevice {
 protected:
  CUlibrary load_library() const {
    CUlibrary library = nullptr;
    EXPECT_EQ(cuLibraryLoadData(&library, image(), nullptr, nullptr, 0, nullptr, nullptr, 0),
              CUDA_SUCCESS);
    return library;
  }
};

// ---- names and handles ------------------------------------------------------------------------

TEST_P(CudaFunction, AFunctionReportsItsNameAndModule) {
  run([this] {
    CUmodule module = nullptr;
    CUmodule owner = nullptr;
    const char* name = nullptr;
    CUfunction function = get_kernel(image(), "add_one", &module);
    CUDA_OK(cuFuncGetName(&name, function));
    EXPECT_STREQ(name, "add_one");
    CUDA_OK(cuFuncGetModule(&owner, function));
    EXPECT_EQ(owner, module);
    EXPECT_EQ(cuFuncGetName(nullptr, function), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuFuncGetName(&name, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuFuncGetModule(nullptr, function), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaFunction, AFunctionOfAnUnloadedModuleHasNoName) {
  if (GetParam() != Backend::sim) GTEST_SKIP() << "a driver need not survive what is undefined";
  run([this] {
    CUmodule module = nullptr;
    const char* name = nullptr;
    CUfunction function = get_kernel(image(), "add_one", &module);
    CUDA_OK(cuModuleUnload(module));
    EXPECT_EQ(cuFuncGetName(&name, function), CUDA_ERROR_INVALID_HANDLE);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaFunction, AModuleListsItsFunctions) {
  run([this] {
    CUmodule module = nullptr;
    CUfunction function = get_kernel(image(), "add_one", &module);
    unsigned count = 0;
    CUDA_OK(cuModuleGetFunctionCount(&count, module));
    ASSERT_GT(count, 1u);
    std::vector<CUfunction> functions(count + 1, nullptr);
    CUDA_OK(cuModuleEnumerateFunctions(functions.data(), count + 1, module));
    EXPECT_EQ(functions.back(), nullptr) << "there are no more";
    EXPECT_EQ(std::count(functions.begin(), functions.end(), function), 1);
    EXPECT_EQ(std::count(functions.begin(), functions.end(), nullptr), 1);
    std::vector<CUfunction> one(2, nullptr);
    CUDA_OK(cuModuleEnumerateFunctions(one.data(), 1, module));
    EXPECT_EQ(one.back(), nullptr) << "no more were asked for";
    EXPECT_EQ(cuModuleGetFunctionCount(nullptr, module), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuModuleEnumerateFunctions(nullptr, 1, module), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaFunction, ALibraryListsItsKernels) {
  run([this] {
    CUlibrary library = load_library();
    unsigned count = 0;
    CUkernel kernel = nullptr;
    const char* name = nullptr;
    CUDA_OK(cuLibraryGetKernel(&kernel, library, "add_one"));
    CUDA_OK(cuKernelGetName(&name, kernel));
    EXPECT_STREQ(name, "add_one");
    CUDA_OK(cuLibraryGetKernelCount(&count, library));
    std::vector<CUkernel> kernels(count, nullptr);
    CUDA_OK(cuLibraryEnumerateKernels(kernels.data(), count, library));
    EXPECT_EQ(std::count(kernels.begin(), kernels.end(), kernel), 1);
    EXPECT_EQ(cuKernelGetName(nullptr, kernel), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuLibraryGetKernelCount(nullptr, library), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuLibraryEnumerateKernels(nullptr, 1, library), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaFunction, KernelsOfAnUnloadedLibraryAreNotListed) {
  if (GetParam() != Backend::sim) GTEST_SKIP() << "a driver need not survive what is undefined";
  run([this] {
    CUlibrary library = load_library();
    unsigned count = 0;
    CUDA_OK(cuLibraryUnload(library));
    EXPECT_EQ(cuLibraryGetKernelCount(&count, library), CUDA_ERROR_INVALID_HANDLE);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaFunction, LazyLoadingAndCachePreferencesAreAccepted) {
  run([this] {
    CUfunction function = get_kernel(image(), "add_one");
    CUkernel kernel = nullptr;
    CUDA_OK(cuLibraryGetKernel(&kernel, load_library(), "add_one"));
    CUmoduleLoadingMode mode{};
    CUfunctionLoadingState state{};
    CUDA_OK(cuModuleGetLoadingMode(&mode));
    CUDA_OK(cuFuncLoad(function));
    CUDA_OK(cuFuncIsLoaded(&state, function));
    EXPECT_EQ(state, CU_FUNCTION_LOADING_STATE_LOADED);
    CUDA_OK(cuFuncSetCacheConfig(function, CU_FUNC_CACHE_PREFER_SHARED));
    CUDA_OK(cuKernelSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_SHARED, 0));
    const auto dynamic = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    CUDA_OK(cuKernelSetAttribute(dynamic, 1024, kernel, 0));
    EXPECT_NE(cuKernelSetAttribute(dynamic, 1 << 30, kernel, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuKernelSetAttribute(dynamic, 1024, kernel, 99), CUDA_ERROR_INVALID_DEVICE);
    EXPECT_EQ(cuKernelSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_SHARED, 99),
              CUDA_ERROR_INVALID_DEVICE);
    EXPECT_EQ(cuFuncSetCacheConfig(function, static_cast<CUfunc_cache>(99)),
              CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaFunction, ANullResultPointerIsInvalid) {
  if (GetParam() == Backend::gpu) GTEST_SKIP() << "a driver need not survive what is undefined";
  run([this] {
    CUfunction function = get_kernel(image(), "add_one");
    EXPECT_EQ(cuModuleGetLoadingMode(nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuFuncIsLoaded(nullptr, function), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuOccupancyAvailableDynamicSMemPerBlock(nullptr, function, 1, 64),
              CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

// ---- occupancy --------------------------------------------------------------------------------

TEST_P(CudaFunction, BlocksAreLimitedByThreadsSharedMemoryAndTheirNumber) {
  run([this] {
    CUfunction function = get_kernel(image(), "add_one");
    int threads = 0;
    int most = 0;
    int shared = 0;
    int blocks = 0;
    CUDA_OK(cuDeviceGetAttribute(&threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 0));
    CUDA_OK(cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 0));
    CUDA_OK(cuDeviceGetAttribute(&shared, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 0));
    CUDA_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 1, 0));
    EXPECT_EQ(blocks, most);
    CUDA_OK(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, function, 512, 0, 0));
    EXPECT_EQ(blocks, threads / 512);
    CUDA_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 33, 0));
    EXPECT_LE(blocks, threads / 64) << "warps are whole";
    int with_memory = 0;
    CUDA_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 64, 0));
    CUDA_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&with_memory, function, 64,
                                                        static_cast<std::size_t>(shared)));
    EXPECT_LT(with_memory, blocks);
    EXPECT_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, function, 64, 0, 0xf0),
              CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(CudaFunction, ABlockSizeIsSuggestedThatFillsTheDevice) {
  run([this] {
    CUfunction function = get_kernel(image(), "add_one");
    int grid = 0;
    int block = 0;
    int blocks = 0;
    int processors = 0;
    CUDA_OK(cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    CUDA_OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, function, nullptr, 0, 0));
    CUDA_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, block, 0));
    EXPECT_EQ(grid, blocks * processors);
    CUDA_OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, function, nullptr, 0, 100));
    EXPECT_LE(block, 100);
    EXPECT_GT(block, 0);
    const auto greedy = [](int size) -> std::size_t { return size > 64 ? 1 << 30 : 0; };
    CUDA_OK(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, function, greedy, 0, 0, 0));
    EXPECT_LE(block, 64);
    EXPECT_EQ(cuOccupancyMaxPotentialBlockSize(nullptr, &block, function, nullptr, 0, 0),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(
        cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, function, nullptr, 0, 0, 0xf0),
        CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(CudaFunction, AvailableSharedMemoryDependsOnTheBlockCount) {
  run([this] {
    CUfunction function = get_kernel(image(), "add_one");
    std::size_t one = 0;
    std::size_t many = 0;
    constexpr int kMany = 16;  // More than get as much as one of them may have, on any device.
    CUDA_OK(cuOccupancyAvailableDynamicSMemPerBlock(&one, function, 1, 64));
    CUDA_OK(cuOccupancyAvailableDynamicSMemPerBlock(&many, function, kMany, 64));
    EXPECT_LT(many, one);
    int blocks = 0;
    CUDA_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 64, many));
    // An H200 says that there is more than it then has for this many.
    EXPECT_GE(blocks, GetParam() == Backend::gpu ? kMany * 3 / 4 : kMany);
    EXPECT_EQ(cuOccupancyAvailableDynamicSMemPerBlock(&one, function, 0, 64),
              CUDA_ERROR_INVALID_VALUE);
  });
}

// ---- clusters -----------------------------------------------------------------------------------

CUlaunchConfig small_launch() {
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 64;
  config.blockDimY = config.blockDimZ = 1;
  return config;
}

CUlaunchAttribute cluster_of(unsigned blocks) {
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim = {blocks, 1, 1};
  return attribute;
}

TEST_P(CudaFunction, WithoutClustersTheLargestClusterIsOneBlock) {
  run([this] {
    CUfunction function = get_kernel(image(), "add_one");
    const CUlaunchConfig config = small_launch();
    int clusters = 0;
    int size = 0;
    CUDA_OK(cuDeviceGetAttribute(&clusters, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 0));
    CUDA_OK(cuOccupancyMaxPotentialClusterSize(&size, function, &config));
    EXPECT_EQ(size > 1, clusters == 1);
    EXPECT_GE(size, 1);
  });
  expect_no_fault();
}

TEST_P(CudaFunction, AsManyClustersOfOneBlockFitAsBlocks) {
  run([this] {
    CUfunction function = get_kernel(image(), "add_one");
    CUlaunchConfig config = small_launch();
    CUlaunchAttribute cluster = cluster_of(1);
    config.attrs = &cluster;
    config.numAttrs = 1;
    int count = 0;
    int blocks = 0;
    CUDA_OK(cuOccupancyMaxActiveClusters(&count, function, &config));
    CUDA_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 64, 0));
    EXPECT_GE(count, blocks);
  });
  expect_no_fault();
}

TEST_P(CudaFunction, ACountOfClustersNeedsTheirSize) {
  if (GetParam() == Backend::gpu) GTEST_SKIP() << "which error it is no one says";
  run([this] {
    CUfunction function = get_kernel(image(), "add_one");
    CUlaunchConfig config = small_launch();
    int count = 0;
    EXPECT_EQ(cuOccupancyMaxActiveClusters(&count, function, &config), CUDA_ERROR_INVALID_VALUE);
    CUlaunchAttribute cluster = cluster_of(2);
    config.attrs = &cluster;
    config.numAttrs = 1;
    EXPECT_EQ(cuOccupancyMaxActiveClusters(&count, function, &config),
              CUDA_ERROR_INVALID_CLUSTER_SIZE);
    EXPECT_EQ(cuOccupancyMaxActiveClusters(nullptr, function, &config), CUDA_ERROR_INVALID_VALUE);
    config.blockDimX = 4096;
    EXPECT_EQ(cuOccupancyMaxActiveClusters(&count, function, &config), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuOccupancyMaxPotentialClusterSize(&count, function, &config),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuOccupancyMaxPotentialClusterSize(&count, function, nullptr),
              CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

INSTANTIATE_ON_EVERY_DEVICE(CudaFunction);

}  // namespace
}  // namespace harness::testing
