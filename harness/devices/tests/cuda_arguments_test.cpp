// SPDX-License-Identifier: Apache-2.0
// The conformance suite of devices/: rules for every function. Each row of cuda.def is called once
// with zeros only.
#include <set>

#include "harness/devices/tests/cuda_stage.h"
#include "harness/driver/cuda/cuda.h"

extern "C" {
#define CUDA_ROW(name, base, since, flavour, needs, turn, failure, parameters, arguments) \
  CUresult name parameters;
#include "harness/driver/cuda/cuda.def"
}

namespace harness::testing {
namespace {

class CudaArguments : public OnEveryDevice {};

struct Row {
  const char* name;
  CallNeeds needs;
  CUresult (*call)();
};

/// Calls with zeros: null, stream 0, no flags.
template <class... Arguments>
CUresult call_with_zeros(CUresult (*function)(Arguments...)) {
  return function(Arguments{}...);
}

const Row kRows[] = {
#define CUDA_ROW(name, base, since, flavour, needs, turn, failure, parameters, arguments) \
  {#name, CallNeeds::needs, [] { return call_with_zeros(&name); }},
#include "harness/driver/cuda/cuda.def"
};

bool is_one_of(const std::set<std::string_view>& names, const Row& row) {
  return names.contains(row.name);
}

TEST_P(CudaArguments, NoFunctionWorksBeforeInitialization) {
  const std::set<std::string_view> pure{
      "cuGetErrorName",           "cuGetErrorString",    "cuInit",
      "cuDriverGetVersion",       "cuGetProcAddress_v2", "cuLogsRegisterCallback",
      "cuLogsUnregisterCallback", "cuLogsCurrent",       "cuLogsDumpToFile",
      "cuLogsDumpToMemory"};
  if (GetParam() != Backend::sim) GTEST_SKIP() << "the driver was initialized to find it";
  Plain plain;
  stage->run_bare(plain, [&] {
    for (const Row& row : kRows) {
      EXPECT_EQ(row.needs == CallNeeds::nothing, is_one_of(pure, row)) << row.name;
    }
  });
  expect_no_fault();
}

TEST_P(CudaArguments, FunctionsOnAContextNeedACurrentOne) {
  if (GetParam() != Backend::sim) GTEST_SKIP() << "tasks share a thread, which has one";
  std::size_t tried = 0;
  Plain plain;
  stage->run_bare(plain, [&] {
    EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
    for (const Row& row : kRows) {
      if (row.needs != CallNeeds::context) continue;
      EXPECT_EQ(row.call(), CUDA_ERROR_INVALID_CONTEXT) << row.name;
      ++tried;
    }
    EXPECT_EQ(cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
              CUDA_ERROR_INVALID_CONTEXT)
        << "stream 0 is a context's";
    CUdeviceptr address = 0;
    EXPECT_EQ(cuMemAllocAsync(&address, 64, nullptr), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuMemFreeAsync(0, nullptr), CUDA_ERROR_INVALID_CONTEXT);
  });
  expect_no_fault();
  EXPECT_GT(tried, 30u);
}

/// If zeros mean something: a default, nothing to do, or nothing that was asked for.
const std::set<std::string_view> kMeanSomething{
    "cuInit",
    "cuCtxResetPersistingL2Cache",
    "cuCtxSetCacheConfig",
    "cuCtxSetFlags",
    "cuDevicePrimaryCtxSetFlags_v2",
    "cuProfilerStart",
    "cuProfilerStop",
    "cuCtxGetStreamPriorityRange",
    "cuCtxPopCurrent_v2",
    "cuCtxSetCurrent",
    "cuCtxSetLimit",
    "cuCtxSynchronize",
    "cuCtxSynchronize_v2",
    "cuDeviceGraphMemTrim",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDevicePrimaryCtxReset_v2",
    "cuMemcpy",
    "cuMemcpy_ptds",
    "cuMemcpyHtoD_v2",
    "cuMemcpyDtoH_v2",
    "cuMemcpyDtoD_v2",
    "cuMemcpyHtoD_v2_ptds",
    "cuMemcpyDtoH_v2_ptds",
    "cuMemcpyDtoD_v2_ptds",
    "cuMemcpyHtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyDtoDAsync_v2",
    "cuMemFreeAsync",
    "cuMemcpyAsync",
    "cuMemcpyAtoH_v2",
    "cuMemcpyHtoA_v2",
    "cuMemcpyAtoD_v2",
    "cuMemcpyDtoA_v2",
    "cuMemcpyAtoA_v2",
    "cuMemcpyAtoH_v2_ptds",
    "cuMemcpyHtoA_v2_ptds",
    "cuMemcpyAtoD_v2_ptds",
    "cuMemcpyDtoA_v2_ptds",
    "cuMemcpyAtoA_v2_ptds",
    "cuMemcpyHtoAAsync_v2",
    "cuMemcpyAtoHAsync_v2",
    "cuMemsetD8_v2",
    "cuMemsetD16_v2",
    "cuMemsetD32_v2",
    "cuMemsetD8_v2_ptds",
    "cuMemsetD16_v2_ptds",
    "cuMemsetD32_v2_ptds",
    "cuMemsetD8Async",
    "cuMemsetD16Async",
    "cuMemsetD32Async",
    "cuMemsetD2D8_v2",
    "cuMemsetD2D16_v2",
    "cuMemsetD2D32_v2",
    "cuMemsetD2D8_v2_ptds",
    "cuMemsetD2D16_v2_ptds",
    "cuMemsetD2D32_v2_ptds",
    "cuMemsetD2D8Async",
    "cuMemsetD2D16Async",
    "cuMemsetD2D32Async",
    "cuStreamBatchMemOp_v2",
    "cuStreamQuery",
    "cuStreamSynchronize",
};

TEST_P(CudaArguments, NullIsInvalidForARequiredArgument) {
  if (GetParam() == Backend::gpu) GTEST_SKIP() << "a driver need not survive what is undefined";
  std::size_t tried = 0;
  run([&] {
    for (const Row& row : kRows) {
      const CUresult status = row.call();
      EXPECT_EQ(status == CUDA_SUCCESS, is_one_of(kMeanSomething, row))
          << row.name << " returned " << status;
      ++tried;
      CUcontext context = nullptr;  // Some of them take it away.
      EXPECT_EQ(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
      EXPECT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
    }
  });
  EXPECT_GT(tried, 150u);
}

TEST_P(CudaArguments, ADeviceThatDoesNotExistIsInvalid) {
  run([] {
    constexpr CUdevice kNone = 99;
    char name[8];
    int number = 0;
    std::size_t bytes = 0;
    cuuint64_t value = 0;
    CUcontext context = nullptr;
    CUmemoryPool pool = nullptr;
    constexpr CUresult kError = CUDA_ERROR_INVALID_DEVICE;
    EXPECT_EQ(cuDeviceGet(&number, kNone), kError);
    EXPECT_EQ(cuDeviceGetName(name, sizeof name, kNone), kError);
    EXPECT_EQ(cuDeviceTotalMem_v2(&bytes, kNone), kError);
    EXPECT_EQ(cuDeviceGetAttribute(&number, CU_DEVICE_ATTRIBUTE_WARP_SIZE, kNone), kError);
    EXPECT_EQ(cuDeviceGetDefaultMemPool(&pool, kNone), kError);
    EXPECT_EQ(cuDeviceGetMemPool(&pool, kNone), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuDevicePrimaryCtxRetain(&context, kNone), kError);
    EXPECT_NE(cuDevicePrimaryCtxRelease_v2(kNone), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxCreate_v4(&context, nullptr, 0, kNone), kError);
    EXPECT_EQ(cuDeviceGraphMemTrim(kNone), kError);
    EXPECT_EQ(cuDeviceGetGraphMemAttribute(kNone, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &value),
              kError);
    EXPECT_EQ(cuDeviceSetGraphMemAttribute(kNone, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &value), kError);
  });
  expect_no_fault();
}

INSTANTIATE_ON_EVERY_DEVICE(CudaArguments);

}  // namespace
}  // namespace harness::testing
