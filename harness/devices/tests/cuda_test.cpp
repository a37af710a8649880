// SPDX-License-Identifier: Apache-2.0
// The conformance suite of devices/: each documented error, and each documented undefined behaviour
// that is not a matter of timing, on every device there is. Here: the driver, contexts, modules and
// errors. Memory is in cuda_memory_test.cpp, streams are in cuda_stream_test.cpp, timing is in
// cuda_timing_test.cpp.
#include "harness/devices/tests/cuda_stage.h"

namespace harness::testing {
namespace {

class Cuda : public OnEveryDevice {};

// ---- the driver, devices and contexts ---------------------------------------------------------

TEST_P(Cuda, FlagsOfCuInitMustBeZero) {
  run([] { EXPECT_EQ(cuInit(1), CUDA_ERROR_INVALID_VALUE); });
}

TEST_P(Cuda, ADeviceOrdinalThatDoesNotExistIsInvalid) {
  run([] {
    CUdevice device = 0;
    EXPECT_EQ(cuDeviceGet(&device, 1000), CUDA_ERROR_INVALID_DEVICE);
    EXPECT_EQ(cuDeviceGet(&device, 0), CUDA_SUCCESS);
  });
}

TEST_P(Cuda, TheDeviceDescribesItself) {
  run([] {
    int count = 0;
    CUDA_OK(cuDeviceGetCount(&count));
    EXPECT_GE(count, 1);
    char name[64] = {};
    CUDA_OK(cuDeviceGetName(name, sizeof name, 0));
    EXPECT_NE(name[0], '\0');
    int warp = 0;
    CUDA_OK(cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    EXPECT_EQ(warp, 32);
    std::size_t bytes = 0;
    CUDA_OK(cuDeviceTotalMem_v2(&bytes, 0));
    EXPECT_GT(bytes, std::size_t{1} << 30);
    int version = 0;
    CUDA_OK(cuDriverGetVersion(&version));
    EXPECT_GE(version, 12000);
  });
}

TEST_P(Cuda, AnAttributeThatDoesNotExistIsInvalid) {
  run([] {
    int value = 0;
    EXPECT_EQ(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX, 0), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(Cuda, WithoutAContextThereIsNoMemory) {
  run([] {
    CUDA_OK(cuCtxSetCurrent(nullptr));
    CUdeviceptr address = 0;
    EXPECT_EQ(cuMemAlloc_v2(&address, 64), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuMemAllocAsync(&address, 64, nullptr), CUDA_ERROR_INVALID_CONTEXT);
  });
}

TEST_P(Cuda, AnEmptyStackOfContextsCannotBePopped) {
  run([] {
    CUcontext context = nullptr;
    CUDA_OK(cuCtxPopCurrent_v2(&context));
    EXPECT_NE(context, nullptr);
    EXPECT_EQ(cuCtxPopCurrent_v2(&context), CUDA_ERROR_INVALID_CONTEXT);
  });
}

TEST_P(Cuda, ThePrimaryContextIsReleasedNotDestroyed) {
  run([] {
    CUcontext context = nullptr;
    CUDA_OK(cuCtxGetCurrent(&context));
    EXPECT_EQ(cuCtxDestroy_v2(context), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
  });
}

TEST_P(Cuda, ACreatedContextIsCurrentAndPoppedWhenDestroyed) {
  run([] {
    CUcontext primary = nullptr;
    CUDA_OK(cuCtxGetCurrent(&primary));
    CUcontext made = nullptr;
    CUDA_OK(cuCtxCreate_v4(&made, nullptr, 0, 0));
    CUcontext current = nullptr;
    CUDA_OK(cuCtxGetCurrent(&current));
    EXPECT_EQ(current, made);
    CUDA_OK(cuCtxDestroy_v2(made));
    CUDA_OK(cuCtxGetCurrent(&current));
    EXPECT_EQ(current, primary);
  });
  expect_no_fault();
}

TEST_P(Cuda, AContextDestroyedTwiceIsAFault) {
  run([] {
    CUcontext made = nullptr;
    CUDA_OK(cuCtxCreate_v4(&made, nullptr, 0, 0));
    CUDA_OK(cuCtxDestroy_v2(made));
    EXPECT_NE(cuCtxDestroy_v2(made), CUDA_SUCCESS);
  });
  expect_fault("double_free");
}

TEST_P(Cuda, ADestroyedContextMadeCurrentIsAFault) {
  run([] {
    CUcontext made = nullptr;
    CUDA_OK(cuCtxCreate_v4(&made, nullptr, 0, 0));
    CUDA_OK(cuCtxDestroy_v2(made));
    EXPECT_EQ(cuCtxSetCurrent(made), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  });
  expect_fault("use_after_free");
}

TEST_P(Cuda, ALimitThatDoesNotExistIsInvalid) {
  run([] { EXPECT_NE(cuCtxSetLimit(CU_LIMIT_MAX, 1), CUDA_SUCCESS); });
}

TEST_P(Cuda, ANullResultPointerIsInvalid) {
  run([] {
    EXPECT_EQ(cuDriverGetVersion(nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuDeviceGetCount(nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuStreamGetFlags(make_stream(), nullptr), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(Cuda, QueriesOfADeviceThatDoesNotExistFail) {
  run([] {
    int value = 0;
    CUmemoryPool pool = nullptr;
    CUcontext context = nullptr;
    EXPECT_EQ(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 1000),
              CUDA_ERROR_INVALID_DEVICE);
    EXPECT_EQ(cuDeviceGetDefaultMemPool(&pool, 1000), CUDA_ERROR_INVALID_DEVICE);
    EXPECT_EQ(cuCtxCreate_v4(&context, nullptr, 0, 1000), CUDA_ERROR_INVALID_DEVICE);
  });
}

TEST_P(Cuda, UnknownFlagsOfAContextAreInvalid) {
  run([] {
    CUcontext context = nullptr;
    EXPECT_EQ(cuCtxCreate_v4(&context, nullptr, 1U << 30, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuCtxCreate_v4(&context, nullptr, CU_CTX_SCHED_SPIN | CU_CTX_SCHED_YIELD, 0),
              CUDA_ERROR_INVALID_VALUE)
        << "one way of waiting";
  });
}

TEST_P(Cuda, QueriesAndWaitsNeedACurrentContext) {
  run([] {
    CUDA_OK(cuCtxSetCurrent(nullptr));
    CUdevice device = 0;
    EXPECT_EQ(cuCtxGetDevice(&device), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuStreamSynchronize(nullptr), CUDA_ERROR_INVALID_CONTEXT);
  });
}

TEST_P(Cuda, ThePrimaryContextEndsWithItsLastRelease) {
  run([] {
    CUcontext context = nullptr;
    CUDA_OK(cuDevicePrimaryCtxRetain(&context, 0));
    CUDA_OK(cuDevicePrimaryCtxRelease_v2(0));
    CUDA_OK(cuCtxSetCurrent(context));
    CUDA_OK(cuDevicePrimaryCtxRelease_v2(0));
    EXPECT_EQ(cuCtxSetCurrent(context), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    EXPECT_NE(cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
  });
  expect_fault("use_after_free");
}

// ---- modules and kernels ----------------------------------------------------------------------

TEST_P(Cuda, AnInvalidImageDoesNotLoad) {
  run([] {
    CUmodule module = nullptr;
    EXPECT_NE(cuModuleLoadData(&module, "this is no module"), CUDA_SUCCESS);
    EXPECT_EQ(cuModuleLoadData(&module, nullptr), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(Cuda, AKernelThatIsNotInTheModuleIsNotFound) {
  run([this] {
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    CUDA_OK(cuModuleLoadData(&module, image()));
    EXPECT_EQ(cuModuleGetFunction(&function, module, "no_such_kernel"), CUDA_ERROR_NOT_FOUND);
  });
}

TEST_P(Cuda, AModuleUsedAfterItsUnloadIsAFault) {
  run([this] {
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    CUDA_OK(cuModuleLoadData(&module, image()));
    CUDA_OK(cuModuleUnload(module));
    EXPECT_EQ(cuModuleGetFunction(&function, module, "add_one"), CUDA_ERROR_INVALID_HANDLE);
  });
  expect_fault("use_after_free");
}

TEST_P(Cuda, AModuleUnloadedTwiceIsAFault) {
  run([this] {
    CUmodule module = nullptr;
    CUDA_OK(cuModuleLoadDataEx(&module, image(), 0, nullptr, nullptr));
    CUDA_OK(cuModuleUnload(module));
    EXPECT_EQ(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
  });
  expect_fault("double_free");
}

TEST_P(Cuda, AGridOrBlockOutOfBoundsIsInvalid) {
  run([this] {
    CUfunction function = get_kernel(image(), "add_one");
    CUdeviceptr data = allocate(64);
    int count = 1;
    EXPECT_EQ(launch(function, 0, 1, nullptr, {&data, &count}), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(launch(function, 1, 2048, nullptr, {&data, &count}), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(Cuda, ParametersAndExtraExcludeEachOther) {
  run([this] {
    CUfunction function = get_kernel(image(), "add_one");
    CUdeviceptr data = allocate(64);
    int count = 1;
    void* parameters[] = {&data, &count};
    void* nothing[] = {CU_LAUNCH_PARAM_END};
    CUDA_OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nothing));
    std::byte buffer[12] = {};
    std::size_t bytes = sizeof buffer;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, extra),
              CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(Cuda, AParameterBufferLargerThanTheParametersIsInvalid) {
  run([this] {
    CUfunction function = get_kernel(image(), "add_one");
    std::byte buffer[16] = {};  // The kernel has 12 bytes of parameters.
    std::size_t bytes = sizeof buffer;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra),
              CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  });
  expect_no_fault();
}

TEST_P(Cuda, AKernelRunsWithParametersByPointerAndByBuffer) {
  run([this] {
    CUfunction function = get_kernel(image(), "add_one");
    CUdeviceptr data = allocate(64);
    write_int(data, 40);
    int count = 1;
    CUDA_OK(launch(function, 1, 1, nullptr, {&data, &count}));
    struct {
      CUdeviceptr data;
      int count;
    } buffer{data, 1};
    std::size_t bytes = sizeof(CUdeviceptr) + sizeof(int);
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    CUlaunchConfig config{1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, 0};
    CUDA_OK(cuLaunchKernelEx(&config, function, nullptr, extra));
    EXPECT_EQ(read_int(data), 42);
  });
  expect_no_fault();
}

TEST_P(Cuda, AKernelFollowsAPointerInDeviceMemory) {
  run([this] {
    CUfunction function = get_kernel(image(), "copy_indirect");
    CUdeviceptr table = allocate(64);
    CUdeviceptr data = allocate_async(64);
    CUdeviceptr out = allocate(64);
    write_int(data, 7);
    CUDA_OK(cuMemcpyHtoD_v2(table, &data, sizeof data));
    CUDA_OK(launch(function, 1, 1, nullptr, {&table, &out}));
    EXPECT_EQ(read_int(out), 7);
  });
  expect_no_fault();
}

TEST_P(Cuda, ParametersAreLaidOutAsInCuda) {
  run([this] {
    CUfunction function = get_kernel(image(), "mixed");
    std::size_t offset = 0;
    std::size_t bytes = 0;
    CUDA_OK(cuFuncGetParamInfo(function, 1, &offset, &bytes));
    EXPECT_EQ(offset, 8U);
    EXPECT_EQ(bytes, 16U);
    CUDA_OK(cuFuncGetParamInfo(function, 2, &offset, nullptr));
    EXPECT_EQ(offset, 24U);
    EXPECT_EQ(cuFuncGetParamInfo(function, 3, &offset, &bytes), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(Cuda, UnknownAttributesOfAFunctionAreInvalid) {
  run([this] {
    CUfunction function = get_kernel(image(), "add_one");
    int value = 0;
    EXPECT_EQ(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX, function),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NUM_REGS, 8),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, function, 0, 0),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, function, 32, 0),
              CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(Cuda, AFunctionHasAttributes) {
  run([this] {
    CUfunction function = get_kernel(image(), "add_one");
    int value = 0;
    CUDA_OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
    EXPECT_GE(value, 32);
    const auto dynamic = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    CUDA_OK(cuFuncSetAttribute(function, dynamic, 1024));
    EXPECT_NE(cuFuncSetAttribute(function, dynamic, 1 << 30), CUDA_SUCCESS);
    CUDA_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, function, 256, 0));
    EXPECT_GE(value, 1);
  });
}

// ---- errors -----------------------------------------------------------------------------------

TEST_P(Cuda, ErrorsHaveNamesAndTexts) {
  run([] {
    const char* text = nullptr;
    CUDA_OK(cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &text));
    EXPECT_STREQ(text, "CUDA_ERROR_OUT_OF_MEMORY");
    CUDA_OK(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
    EXPECT_STREQ(text, "out of memory");
    for (const CUresult returned :
         {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, CUDA_ERROR_ALREADY_MAPPED,
          CUDA_ERROR_TOO_MANY_PEERS, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
          CUDA_ERROR_OPERATING_SYSTEM, CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY})
      EXPECT_EQ(cuGetErrorName(returned, &text), CUDA_SUCCESS) << returned;
    int known = 0;
    for (int code = 0; code <= 999; ++code)
      known += cuGetErrorName(static_cast<CUresult>(code), &text) == CUDA_SUCCESS &&
               cuGetErrorString(static_cast<CUresult>(code), &text) == CUDA_SUCCESS;
    EXPECT_GE(known, 100);
    EXPECT_EQ(cuGetErrorName(static_cast<CUresult>(1000), &text), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(text, nullptr);
  });
}

INSTANTIATE_ON_EVERY_DEVICE(Cuda);

}  // namespace
}  // namespace harness::testing
