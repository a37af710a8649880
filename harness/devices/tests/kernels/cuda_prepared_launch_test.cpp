// SPDX-License-Identifier: Apache-2.0
// The conformance suite of devices/: launches by the deprecated calls that set one property each.
#include <cstring>

#include "harness/base/tests/folder.h"
#include "harness/devices/tests/cuda_stage.h"

// Some of the functions are deprecated, and called nevertheless.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace harness::testing {
namespace {

constexpr unsigned kParameterBytes = sizeof(CUdeviceptr) + sizeof(int);  ///< Those of add_one.

class CudaPreparedLaunch : public OnEveryDevice {
 protected:
  CUfunction add_one() const { return get_kernel(image(), "add_one"); }
};

void set_parameters(CUfunction function, CUdeviceptr data, unsigned count) {
  CUDA_OK(cuParamSetv(function, 0, &data, sizeof data));
  CUDA_OK(cuParamSeti(function, sizeof data, count));
  CUDA_OK(cuParamSetSize(function, kParameterBytes));
}

TEST_P(CudaPreparedLaunch, ALaunchUsesTheShapeAndParametersSet) {
  run([this] {
    CUfunction function = add_one();
    CUdeviceptr data = allocate(64);
    CUDA_OK(cuMemsetD32_v2(data, 5, 16));
    CUDA_OK(cuFuncSetBlockShape(function, 2, 1, 1));
    CUDA_OK(cuFuncSetSharedSize(function, 64));
    set_parameters(function, data, 16);
    CUDA_OK(cuLaunch(function));
    CUDA_OK(cuLaunchGrid(function, 2, 1));
    int values[5] = {};
    CUDA_OK(cuMemcpyDtoH_v2(values, data, sizeof values));
    EXPECT_EQ(values[0], 7);
    EXPECT_EQ(values[1], 7) << "a launch has the block's threads";
    EXPECT_EQ(values[3], 6) << "a grid has the blocks that it is given";
    EXPECT_EQ(values[4], 5);
  });
  expect_no_fault();
}

TEST_P(CudaPreparedLaunch, ALaunchMayBeInAStream) {
  run([this] {
    CUfunction function = add_one();
    CUdeviceptr data = allocate(64);
    write_int(data, 40);
    CUstream stream = make_stream();
    CUDA_OK(cuFuncSetBlockShape(function, 1, 1, 1));
    set_parameters(function, data, 1);
    CUDA_OK(cuLaunchGridAsync(function, 1, 1, stream));
    set_parameters(function, data + sizeof(int), 1);
    CUDA_OK(cuLaunchGridAsync(function, 1, 1, stream));
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(read_int(data), 41) << "parameters are copied at the launch";
  });
  expect_no_fault();
}

TEST_P(CudaPreparedLaunch, AParameterMayBeAFloat) {
  run([this] {
    CUfunction function = add_one();
    CUdeviceptr data = allocate(64);
    write_int(data, 1);
    float one = 0;
    const int bits = 1;
    std::memcpy(&one, &bits, sizeof one);
    CUDA_OK(cuFuncSetBlockShape(function, 2, 1, 1));
    CUDA_OK(cuParamSetv(function, 0, &data, sizeof data));
    CUDA_OK(cuParamSetf(function, sizeof data, one));
    CUDA_OK(cuParamSetSize(function, kParameterBytes));
    CUDA_OK(cuLaunch(function));
    EXPECT_EQ(read_int(data), 2);
  });
  expect_no_fault();
}

TEST_P(CudaPreparedLaunch, AnInvalidShapeIsRefused) {
  if (GetParam() == Backend::gpu) GTEST_SKIP() << "cuda.h does not say which are refused";
  run([this] {
    CUfunction function = add_one();
    EXPECT_EQ(cuFuncSetBlockShape(function, 0, 1, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuFuncSetBlockShape(function, -1, 1, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuFuncSetBlockShape(function, 1, 1, 65), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuFuncSetSharedSize(function, 1U << 30), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuFuncSetBlockShape(function, 1, 1, 1));
    set_parameters(function, allocate(64), 1);
    EXPECT_EQ(cuLaunchGrid(function, 0, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuLaunchGrid(function, 1, -1), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaPreparedLaunch, ParametersBeyondThoseOfTheKernelAreRefused) {
  if (GetParam() == Backend::gpu) GTEST_SKIP() << "cuda.h does not say which are refused";
  run([this] {
    CUfunction function = add_one();
    std::byte values[16] = {};
    EXPECT_EQ(cuParamSetv(function, 0, values, sizeof values), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuParamSetv(function, 12, values, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuParamSetv(function, -4, values, 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuParamSetv(function, 0, nullptr, 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuParamSeti(function, 9, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuParamSetf(function, 9, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuParamSetSize(function, 13), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaPreparedLaunch, ALaunchBeforeTheSetUpIsRefused) {
  if (GetParam() == Backend::gpu) GTEST_SKIP() << "a driver need not survive what is undefined";
  run([this] {
    CUfunction function = add_one();
    EXPECT_EQ(cuLaunch(function), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuFuncSetBlockShape(function, 1, 1, 1));
    EXPECT_EQ(cuLaunch(function), CUDA_ERROR_INVALID_VALUE) << "it has parameters";
  });
  expect_no_fault();
}

/// cuda.h: launching a function by cuLaunchKernel invalidates what was set; it must be set again.
TEST_P(CudaPreparedLaunch, CuLaunchKernelInvalidatesTheSetUp) {
  if (GetParam() != Backend::sim) GTEST_SKIP() << "a driver need not survive what is undefined";
  run([this] {
    CUfunction function = add_one();
    CUdeviceptr data = allocate(64);
    int count = 1;
    CUDA_OK(cuFuncSetBlockShape(function, 1, 1, 1));
    set_parameters(function, data, 1);
    CUDA_OK(launch(function, 1, 1, nullptr, {&data, &count}));
    CUDA_OK(cuFuncSetBlockShape(function, 1, 1, 1));
    EXPECT_EQ(cuLaunch(function), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("api_misuse");
}

TEST_P(CudaPreparedLaunch, ANewSetUpAfterCuLaunchKernelIsLaunched) {
  run([this] {
    CUfunction function = add_one();
    CUdeviceptr data = allocate(64);
    write_int(data, 0);
    int count = 1;
    for (int round = 0; round < 2; ++round) {
      CUDA_OK(cuFuncSetBlockShape(function, 1, 1, 1));
      CUDA_OK(launch(function, 1, 1, nullptr, {&data, &count}));
    }
    CUDA_OK(cuFuncSetBlockShape(function, 1, 1, 1));
    set_parameters(function, data, 1);
    CUDA_OK(cuLaunch(function));
    EXPECT_EQ(read_int(data), 3);
  });
  expect_no_fault();
}

TEST_P(CudaPreparedLaunch, SettingUpAFunctionOfAnUnloadedModuleIsRefused) {
  if (GetParam() != Backend::sim) GTEST_SKIP() << "a driver need not survive what is undefined";
  run([this] {
    CUmodule module = nullptr;
    CUfunction function = get_kernel(image(), "add_one", &module);
    CUDA_OK(cuModuleUnload(module));
    EXPECT_EQ(cuFuncSetBlockShape(function, 1, 1, 1), CUDA_ERROR_INVALID_HANDLE);
  });
  expect_fault("use_after_free");
}

INSTANTIATE_ON_EVERY_DEVICE(CudaPreparedLaunch);

// ---- the error log ----------------------------------------------------------------------------

class CudaLogs : public OnEveryDevice {};

void ignore(void*, CUlogLevel, char*, std::size_t) {}

TEST_P(CudaLogs, ACallbackIsRegisteredUntilItIsUnregistered) {
  if (GetParam() == Backend::gpu) GTEST_SKIP() << "a driver need not survive a stale handle";
  run([] {
    CUlogsCallbackHandle first = nullptr;
    CUlogsCallbackHandle second = nullptr;
    CUDA_OK(cuLogsRegisterCallback(ignore, nullptr, &first));
    CUDA_OK(cuLogsRegisterCallback(ignore, nullptr, &second));
    CUDA_OK(cuLogsRegisterCallback(ignore, nullptr, nullptr));
    EXPECT_NE(first, second);
    CUDA_OK(cuLogsUnregisterCallback(first));
    EXPECT_EQ(cuLogsUnregisterCallback(first), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuLogsUnregisterCallback(second));
    EXPECT_EQ(cuLogsRegisterCallback(nullptr, nullptr, &first), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaLogs, DumpingAnEmptyLogWritesNothing) {
  const Folder folder;
  const std::string file = folder / "log";
  run([&file] {
    CUlogIterator end = 99;
    CUDA_OK(cuLogsCurrent(&end, 0));
    char buffer[8] = "before";
    std::size_t bytes = sizeof buffer;
    CUDA_OK(cuLogsDumpToMemory(&end, buffer, &bytes, 0));
    EXPECT_EQ(bytes, 0U);
    EXPECT_STREQ(buffer, "");
    CUDA_OK(cuLogsDumpToFile(&end, file.c_str(), 0));
    EXPECT_TRUE(std::filesystem::exists(file));
  });
  expect_no_fault();
  if (!IsSkipped()) EXPECT_EQ(std::filesystem::file_size(file), 0U);
}

TEST_P(CudaLogs, ADumpNeedsADestinationAndNoFlags) {
  if (GetParam() == Backend::gpu) GTEST_SKIP() << "a driver need not survive what is undefined";
  run([] {
    CUlogIterator end = 0;
    char buffer[8] = "";
    std::size_t bytes = sizeof buffer;
    constexpr CUresult kInvalid = CUDA_ERROR_INVALID_VALUE;
    EXPECT_EQ(cuLogsCurrent(nullptr, 0), kInvalid);
    EXPECT_EQ(cuLogsCurrent(&end, 1), kInvalid);
    EXPECT_EQ(cuLogsDumpToMemory(&end, nullptr, &bytes, 0), kInvalid);
    EXPECT_EQ(cuLogsDumpToMemory(&end, buffer, nullptr, 0), kInvalid);
    EXPECT_EQ(cuLogsDumpToMemory(&end, buffer, &bytes, 1), kInvalid);
    EXPECT_EQ(cuLogsDumpToFile(&end, nullptr, 0), kInvalid);
    EXPECT_EQ(cuLogsDumpToFile(&end, "/nowhere/at/all", 0), kInvalid);
    EXPECT_EQ(cuLogsDumpToFile(&end, "/nowhere/at/all", 1), kInvalid);
  });
  expect_no_fault();
}

INSTANTIATE_ON_EVERY_DEVICE(CudaLogs);

}  // namespace
}  // namespace harness::testing
