// The conformance suite of devices/: each documented error, and each documented undefined behaviour that
// is not a matter of timing (those are in cuda_timing_test.cpp), on every device there is.
#include <algorithm>
#include <cstring>
#include <string_view>

#include "harness/tests/cuda_stage.h"

namespace harness::testing {
namespace {

class Cuda : public OnEveryDevice {
 protected:
  template <class Body>
  void run(Body body) {
    EXPECT_EQ(stage->run(body), Ending::finished) << stage->fault();
  }
  void expect_no_fault() const { EXPECT_TRUE(stage->faults.empty()) << stage->fault(); }
  void expect_fault(std::string_view kind) const { EXPECT_EQ(stage->fault(), kind); }
};

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
  expect_fault("use_after_death");
}

TEST_P(Cuda, ALimitThatDoesNotExistIsInvalid) {
  run([] { EXPECT_NE(cuCtxSetLimit(CU_LIMIT_MAX, 1), CUDA_SUCCESS); });
}

// ---- modules and kernels ----------------------------------------------------------------------

TEST_P(Cuda, WhatIsNoImageDoesNotLoad) {
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
  expect_fault("use_after_death");
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
    void* extra[] = {CU_LAUNCH_PARAM_END};
    EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, extra),
              CUDA_ERROR_INVALID_VALUE);
  });
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

// ---- memory -----------------------------------------------------------------------------------

TEST_P(Cuda, NoBytesAreNoAllocation) {
  run([] {
    CUdeviceptr address = 0;
    EXPECT_EQ(cuMemAlloc_v2(&address, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemAllocManaged(&address, 64, 0), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(Cuda, MoreThanThereIsIsOutOfMemory) {
  run([] {
    CUdeviceptr address = 0;
    EXPECT_EQ(cuMemAlloc_v2(&address, std::size_t{1} << 45), CUDA_ERROR_OUT_OF_MEMORY);
  });
}

TEST_P(Cuda, MemoryFreedTwiceIsAFault) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUDA_OK(cuMemFree_v2(address));
    EXPECT_EQ(cuMemFree_v2(address), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("double_free");
}

TEST_P(Cuda, StreamOrderedMemoryFreedTwiceIsAFault) {
  run([] {
    CUdeviceptr address = allocate_async(64);
    CUDA_OK(cuMemFreeAsync(address, nullptr));
    EXPECT_EQ(cuMemFreeAsync(address, nullptr), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("double_free");
}

TEST_P(Cuda, OnlyTheStartOfAnAllocationCanBeFreed) {
  run([] {
    CUdeviceptr address = allocate(1024);
    EXPECT_EQ(cuMemFree_v2(address + 512), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuMemFree_v2(address));
  });
  expect_fault("api_misuse");
}

TEST_P(Cuda, AStreamOrderedAllocationMayBeFreedAtOnceAndTheOtherWayRound) {
  run([] {
    CUDA_OK(cuMemFree_v2(allocate_async(64)));
    CUDA_OK(cuMemFreeAsync(allocate(64), nullptr));
    CUDA_OK(cuCtxSynchronize());
  });
  expect_no_fault();
}

TEST_P(Cuda, PinnedMemoryIsTheHostsAndTheDevices) {
  run([] {
    void* pinned = nullptr;
    CUDA_OK(cuMemAllocHost_v2(&pinned, 64));
    CUdeviceptr address = allocate(64);
    std::memset(pinned, 7, 64);
    CUDA_OK(cuMemcpyHtoD_v2(address, pinned, 64));
    EXPECT_EQ(read_int(address), 0x07070707);
    CUDA_OK(cuMemFreeHost(pinned));
    EXPECT_EQ(cuMemFreeHost(pinned), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("double_free");
}

TEST_P(Cuda, ACopyFromFreedMemoryIsAFault) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUDA_OK(cuMemFree_v2(address));
    int value = 0;
    EXPECT_EQ(cuMemcpyDtoH_v2(&value, address, sizeof value), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("use_after_death");
}

TEST_P(Cuda, ACopyOrSetBeyondTheEndIsAFault) {
  run([] {
    CUdeviceptr address = allocate(64);
    EXPECT_EQ(cuMemsetD8_v2(address, 0, std::size_t{1} << 40), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("api_misuse");
}

TEST_P(Cuda, AnUnalignedSetIsInvalid) {
  run([] {
    CUdeviceptr address = allocate(64);
    EXPECT_EQ(cuMemsetD32_v2(address + 1, 0, 1), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(Cuda, CopiesAndSetsDoWhatTheySay) {
  run([] {
    CUdeviceptr a = allocate(64);
    CUdeviceptr b = allocate(64);
    CUDA_OK(cuMemsetD32_v2(a, 0x01020304, 16));
    CUDA_OK(cuMemsetD8_v2(a + 4, 9, 4));
    CUDA_OK(cuMemcpyDtoD_v2(b, a, 64));
    CUDA_OK(cuMemcpyDtoDAsync_v2(b + 8, a + 4, 4, nullptr));
    int values[4] = {};
    CUDA_OK(cuMemcpyAsync(reinterpret_cast<CUdeviceptr>(values), b, sizeof values, nullptr));
    CUDA_OK(cuStreamSynchronize(nullptr));
    EXPECT_EQ(values[0], 0x01020304);
    EXPECT_EQ(values[1], 0x09090909);
    EXPECT_EQ(values[2], 0x09090909);
    EXPECT_EQ(values[3], 0x01020304);
    CUDA_OK(cuMemcpyHtoD_v2(a, values, 0));
  });
  expect_no_fault();
}

TEST_P(Cuda, AnAllocationKnowsItsRange) {
  run([] {
    CUdeviceptr address = allocate(1000);
    CUdeviceptr base = 0;
    std::size_t bytes = 0;
    CUDA_OK(cuMemGetAddressRange_v2(&base, &bytes, address + 500));
    EXPECT_EQ(base, address);
    EXPECT_GE(bytes, 1000U);
    EXPECT_NE(cuMemGetAddressRange_v2(&base, &bytes, 64), CUDA_SUCCESS);
    std::size_t free = 0;
    std::size_t total = 0;
    CUDA_OK(cuMemGetInfo_v2(&free, &total));
    EXPECT_LT(free, total);
  });
}

TEST_P(Cuda, APointerKnowsWhatItPointsAt) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUmemorytype type = {};
    CUDA_OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address));
    EXPECT_EQ(type, CU_MEMORYTYPE_DEVICE);
    CUcontext context = nullptr;
    CUcontext current = nullptr;
    CUDA_OK(cuPointerGetAttribute(&context, CU_POINTER_ATTRIBUTE_CONTEXT, address));
    CUDA_OK(cuCtxGetCurrent(&current));
    EXPECT_EQ(context, current);
    int on_stack = 0;
    EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                    reinterpret_cast<CUdeviceptr>(&on_stack)),
              CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(Cuda, TwoLivesOfAnAddressHaveTwoBufferIds) {
  run([] {
    unsigned long long first = 0;
    unsigned long long second = 0;
    CUdeviceptr address = allocate(64);
    CUDA_OK(cuPointerGetAttribute(&first, CU_POINTER_ATTRIBUTE_BUFFER_ID, address));
    CUDA_OK(cuMemFree_v2(address));
    address = allocate(64);
    CUDA_OK(cuPointerGetAttribute(&second, CU_POINTER_ATTRIBUTE_BUFFER_ID, address));
    EXPECT_NE(first, second);
  });
}

// ---- pools ------------------------------------------------------------------------------------

static CUmemoryPool make_pool() {
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemoryPool pool = nullptr;
  EXPECT_EQ(cuMemPoolCreate(&pool, &properties), CUDA_SUCCESS);
  return pool;
}

TEST_P(Cuda, TheDefaultPoolCannotBeDestroyed) {
  run([] {
    CUmemoryPool pool = nullptr;
    CUDA_OK(cuDeviceGetDefaultMemPool(&pool, 0));
    EXPECT_EQ(cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(Cuda, MemoryOutlivesItsPool) {
  run([] {
    CUmemoryPool pool = make_pool();
    CUdeviceptr address = 0;
    CUDA_OK(cuMemAllocFromPoolAsync(&address, 64, pool, nullptr));
    CUDA_OK(cuMemPoolDestroy(pool));
    write_int(address, 5);
    EXPECT_EQ(read_int(address), 5);
    CUDA_OK(cuMemFreeAsync(address, nullptr));
  });
  expect_no_fault();
}

TEST_P(Cuda, AnAllocationFromADestroyedPoolIsAFault) {
  run([] {
    CUmemoryPool pool = make_pool();
    CUDA_OK(cuMemPoolDestroy(pool));
    CUdeviceptr address = 0;
    EXPECT_EQ(cuMemAllocFromPoolAsync(&address, 64, pool, nullptr), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("use_after_death");
}

TEST_P(Cuda, APoolCountsWhatIsInUse) {
  run([] {
    CUmemoryPool pool = make_pool();
    CUdeviceptr address = 0;
    CUDA_OK(cuMemAllocFromPoolAsync(&address, 64, pool, nullptr));
    cuuint64_t used = 0;
    CUDA_OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    EXPECT_GE(used, 64U);
    CUDA_OK(cuMemFreeAsync(address, nullptr));
    CUDA_OK(cuStreamSynchronize(nullptr));
    CUDA_OK(cuMemPoolTrimTo(pool, 0));
    CUDA_OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    EXPECT_EQ(used, 0U);
    cuuint64_t high = 0;
    CUDA_OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &high));
    EXPECT_GE(high, 64U);
    CUDA_OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &used));
    EXPECT_EQ(used, 0U);
  });
}

TEST_P(Cuda, AHighWaterMarkCanOnlyBeReset) {
  run([] {
    CUmemoryPool pool = make_pool();
    cuuint64_t value = 1;
    EXPECT_EQ(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &value),
              CUDA_ERROR_INVALID_VALUE);
    value = 0;
    CUDA_OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &value));
    value = 1 << 20;
    CUDA_OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value));
    cuuint64_t read = 0;
    CUDA_OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &read));
    EXPECT_EQ(read, value);
  });
}

// ---- streams and events -----------------------------------------------------------------------

TEST_P(Cuda, UnknownFlagsAreInvalid) {
  run([] {
    CUstream stream = nullptr;
    CUevent event = nullptr;
    EXPECT_EQ(cuStreamCreate(&stream, 0x100), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuEventCreate(&event, CU_EVENT_INTERPROCESS), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuEventRecordWithFlags(make_event(), nullptr, 0x100), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(Cuda, AStreamUsedAfterItsEndIsAFault) {
  run([] {
    CUstream stream = make_stream();
    CUDA_OK(cuStreamDestroy_v2(stream));
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
  });
  expect_fault("use_after_death");
}

TEST_P(Cuda, AStreamDestroyedTwiceIsAFault) {
  run([] {
    CUstream stream = make_stream();
    CUDA_OK(cuStreamDestroy_v2(stream));
    EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_ERROR_INVALID_HANDLE);
  });
  expect_fault("double_free");
}

TEST_P(Cuda, AStreamKnowsItsFlagsAndContext) {
  run([] {
    CUstream stream = nullptr;
    CUDA_OK(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, 0));
    unsigned flags = 0;
    CUDA_OK(cuStreamGetFlags(stream, &flags));
    EXPECT_EQ(flags, CU_STREAM_NON_BLOCKING);
    CUcontext context = nullptr;
    CUcontext current = nullptr;
    CUDA_OK(cuStreamGetCtx(stream, &context));
    CUDA_OK(cuCtxGetCurrent(&current));
    EXPECT_EQ(context, current);
    CUDA_OK(cuStreamGetCtx(CU_STREAM_PER_THREAD, &context));
    EXPECT_EQ(context, current);
    EXPECT_EQ(cuStreamQuery(stream), CUDA_SUCCESS);
  });
}

TEST_P(Cuda, AnEventUsedAfterItsEndIsAFault) {
  run([] {
    CUevent event = make_event();
    CUDA_OK(cuEventDestroy_v2(event));
    EXPECT_EQ(cuEventRecord(event, nullptr), CUDA_ERROR_INVALID_HANDLE);
  });
  expect_fault("use_after_death");
}

TEST_P(Cuda, AnEventDestroyedTwiceIsAFault) {
  run([] {
    CUevent event = make_event();
    CUDA_OK(cuEventDestroy_v2(event));
    EXPECT_EQ(cuEventDestroy_v2(event), CUDA_ERROR_INVALID_HANDLE);
  });
  expect_fault("double_free");
}

TEST_P(Cuda, AnEventThatWasNeverRecordedIsDone) {
  run([] {
    CUevent event = make_event();
    EXPECT_EQ(cuEventQuery(event), CUDA_SUCCESS);
    EXPECT_EQ(cuEventSynchronize(event), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamWaitEvent(make_stream(), event, 0), CUDA_SUCCESS);
  });
  expect_no_fault();
}

TEST_P(Cuda, TimeIsMeasuredBetweenRecordedEventsOnly) {
  run([] {
    CUevent start = make_event();
    CUevent end = make_event();
    CUevent untimed = make_event(CU_EVENT_DISABLE_TIMING);
    float milliseconds = -1;
    EXPECT_EQ(cuEventElapsedTime_v2(&milliseconds, start, end), CUDA_ERROR_INVALID_HANDLE);
    CUDA_OK(cuEventRecord(start, nullptr));
    CUDA_OK(cuEventRecord(end, nullptr));
    CUDA_OK(cuEventRecord(untimed, nullptr));
    CUDA_OK(cuEventSynchronize(end));
    CUDA_OK(cuEventElapsedTime_v2(&milliseconds, start, end));
    EXPECT_GE(milliseconds, 0.0F);
    EXPECT_EQ(cuEventElapsedTime_v2(&milliseconds, start, untimed), CUDA_ERROR_INVALID_HANDLE);
  });
}

TEST_P(Cuda, AnEventIsRecordedInItsOwnContext) {
  run([] {
    CUevent event = make_event();
    CUcontext other = nullptr;
    CUDA_OK(cuCtxCreate_v4(&other, nullptr, 0, 0));
    EXPECT_EQ(cuEventRecord(event, nullptr), CUDA_ERROR_INVALID_HANDLE);
    CUDA_OK(cuCtxDestroy_v2(other));
  });
}

TEST_P(Cuda, AHostFunctionRunsAfterTheWorkBeforeIt) {
  run([] {
    struct Seen {
      int* pinned;
      int value;
    };
    void* pinned = nullptr;
    CUDA_OK(cuMemAllocHost_v2(&pinned, sizeof(int)));
    CUdeviceptr address = allocate(64);
    write_int(address, 3);
    CUstream stream = make_stream();
    Seen seen{static_cast<int*>(pinned), 0};
    CUDA_OK(cuMemcpyDtoHAsync_v2(pinned, address, sizeof(int), stream));
    const auto look = [](void* data) {
      auto* mine = static_cast<Seen*>(data);
      mine->value = *mine->pinned;
    };
    CUDA_OK(cuLaunchHostFunc(stream, look, &seen));
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(seen.value, 3);
    EXPECT_EQ(cuLaunchHostFunc(stream, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

// ---- errors -----------------------------------------------------------------------------------

TEST_P(Cuda, ErrorsHaveNamesAndTexts) {
  run([] {
    const char* text = nullptr;
    CUDA_OK(cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &text));
    EXPECT_STREQ(text, "CUDA_ERROR_OUT_OF_MEMORY");
    CUDA_OK(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
    EXPECT_STREQ(text, "out of memory");
    EXPECT_EQ(cuGetErrorName(static_cast<CUresult>(1000), &text), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(text, nullptr);
  });
}

INSTANTIATE_ON_EVERY_DEVICE(Cuda);

}  // namespace
}  // namespace harness::testing
