// SPDX-License-Identifier: Apache-2.0
// The documented times at which device work happens, and undefined behaviour that depends on them.
// On the simulated driver, where a choice determines when work runs.
#include <cstring>

#include "harness/devices/tests/cuda_stage.h"

namespace harness::testing {
namespace {

class CudaTiming : public UnderStrategy {};

void* pin(std::size_t bytes) {
  void* pinned = nullptr;
  EXPECT_EQ(cuMemAllocHost_v2(&pinned, bytes), CUDA_SUCCESS);
  return pinned;
}

// ---- lag --------------------------------------------------------------------------------------

TEST_F(CudaTiming, ByDefaultWorkIsDoneAtSubmission) {
  run(Plain(), [] {
    CUstream stream = make_stream();
    keep_busy(stream, allocate(64));
    EXPECT_EQ(cuStreamQuery(stream), CUDA_SUCCESS);
  });
  expect_finished();
  EXPECT_TRUE(stage.tape.empty());
}

TEST_F(CudaTiming, LaggingWorkIsDoneAfterAWait) {
  run(lagging(), [] {
    CUstream stream = make_stream();
    CUdeviceptr address = allocate(64);
    write_int(address, 1);
    keep_busy(stream, address);
    EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamQuery(stream), CUDA_SUCCESS);
    EXPECT_EQ(read_int(address), 2);
  });
  expect_finished();
}

TEST_F(CudaTiming, AKernelCanStopBetweenItsBlocks) {
  run(Always(Site::lag, 3), [] {  // Two blocks done.
    CUdeviceptr table = allocate(64);
    CUdeviceptr data = allocate(64);
    CUdeviceptr out = allocate(64);
    CUDA_OK(cuMemcpyHtoD_v2(table, &data, sizeof data));
    CUDA_OK(cuMemsetD32_v2(data, 5, 4));
    CUDA_OK(cuMemsetD32_v2(out, 0, 4));
    CUDA_OK(cuCtxSynchronize());
    CUfunction function = get_kernel(&afterlife_kernels_conformance, "copy_indirect");
    CUstream stream = make_stream();
    CUDA_OK(launch(function, 4, 2, stream, {&table, &out}));
    int values[4] = {};
    CUDA_OK(cuMemcpyDtoHAsync_v2(values, out, sizeof values, make_stream()));
    EXPECT_EQ(values[1], 5);
    EXPECT_EQ(values[2], 0);
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(read_int(out + 12), 5);
  });
  expect_finished();
}

// ---- copies -----------------------------------------------------------------------------------

TEST_F(CudaTiming, PageableMemoryIsReadByTheCall) {
  run(lagging(), [] {
    CUdeviceptr address = allocate(64);
    CUstream stream = make_stream();
    int value = 1;
    CUDA_OK(cuMemcpyHtoDAsync_v2(address, &value, sizeof value, stream));
    value = 2;
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(read_int(address), 1);
  });
  expect_finished();
}

TEST_F(CudaTiming, PinnedMemoryIsReadInStreamOrder) {
  run(lagging(), [] {
    CUdeviceptr address = allocate(64);
    CUstream stream = make_stream();
    auto* value = static_cast<int*>(pin(sizeof(int)));
    *value = 1;
    CUDA_OK(cuMemcpyHtoDAsync_v2(address, value, sizeof *value, stream));
    *value = 2;
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(read_int(address), 2);
  });
  expect_finished();
}

TEST_F(CudaTiming, ACopyToPageableMemoryIsDoneWhenTheCallReturns) {
  run(lagging(), [] {
    CUdeviceptr address = allocate(64);
    CUstream stream = make_stream();
    write_int(address, 4);
    CUDA_OK(cuCtxSynchronize());
    keep_busy(stream, address);
    int value = 0;
    CUDA_OK(cuMemcpyDtoHAsync_v2(&value, address, sizeof value, stream));
    EXPECT_EQ(value, 5);
  });
  expect_finished();
}

TEST_F(CudaTiming, ACopyToPinnedMemoryMayBePendingAtReturn) {
  run(lagging(), [] {
    CUdeviceptr address = allocate(64);
    CUstream stream = make_stream();
    auto* value = static_cast<int*>(pin(sizeof(int)));
    *value = 0;
    write_int(address, 4);
    CUDA_OK(cuCtxSynchronize());
    CUDA_OK(cuMemcpyDtoHAsync_v2(value, address, sizeof *value, stream));
    EXPECT_EQ(*value, 0);
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(*value, 4);
    *value = 0;
    CUDA_OK(cuMemcpyDtoH_v2(value, address, sizeof *value));  // Which is synchronous for both.
    EXPECT_EQ(*value, 4);
  });
  expect_finished();
}

// The documentation: the DMA to the final destination may not have completed.
TEST_F(CudaTiming, ASynchronousPageableCopyMayBePendingForNonBlockingStreams) {
  run(lagging(), [] {
    CUdeviceptr address = allocate(64);
    CUdeviceptr copied = allocate(64);
    CUstream stream = make_stream(CU_STREAM_NON_BLOCKING);
    CUDA_OK(
        cuMemsetD32Async(address, 7, 1, stream));  // It goes first among those that can continue.
    CUDA_OK(cuStreamSynchronize(stream));
    write_int(address, 8);
    CUDA_OK(cuMemcpyDtoDAsync_v2(copied, address, sizeof(int), stream));
    CUDA_OK(cuStreamSynchronize(stream));
    int value = 0;
    CUDA_OK(cuMemcpyDtoHAsync_v2(&value, copied, sizeof value, stream));
    EXPECT_EQ(value, 7);
  });
  expect_finished();
}

TEST_F(CudaTiming, ASetOfPinnedMemoryIsSynchronous) {
  run(lagging(), [] {
    auto* bytes = static_cast<char*>(pin(16));
    CUDA_OK(cuMemsetD8_v2(reinterpret_cast<CUdeviceptr>(bytes), 3, 16));
    EXPECT_EQ(bytes[15], 3);
  });
  expect_finished();
}

// ---- freeing ----------------------------------------------------------------------------------

// Current drivers wait; the documentation only allows it (cuda_leeway_test).
TEST_F(CudaTiming, CuMemFreeWaitsForWorkInFlight) {
  run(lagging(), [] {
    CUdeviceptr address = allocate(64);
    keep_busy(make_stream(), address);
    CUDA_OK(cuMemFree_v2(address));
  });
  expect_finished();
}

// The documentation: this API will not perform any implicit synchronization [for pool memory].
TEST_F(CudaTiming, CuMemFreeOfPoolMemoryUsedByAKernelIsAFault) {
  run(lagging(), [] {
    CUdeviceptr address = allocate_async(64);
    CUstream stream = make_stream();
    keep_busy(stream, address);
    CUDA_OK(cuMemFree_v2(address));
    cuStreamSynchronize(stream);
    ADD_FAILURE() << "went on after touching dead memory";
  });
  EXPECT_EQ(ending, Ending::fatal);
  EXPECT_EQ(stage.fault(), "use_after_free");
}

TEST_F(CudaTiming, AStreamOrderedFreeTakesEffectInStreamOrder) {
  run(lagging(), [] {
    CUstream stream = make_stream();
    CUdeviceptr address = allocate_async(64, stream);
    keep_busy(stream, address);
    CUDA_OK(cuMemFreeAsync(address, stream));
    CUDA_OK(cuStreamSynchronize(stream));
  });
  expect_finished();
}

TEST_F(CudaTiming, WorkAfterAStreamOrderedFreeIsAFault) {
  run(lagging(), [] {
    CUstream stream = make_stream();
    CUdeviceptr address = allocate_async(64, stream);
    CUDA_OK(cuMemFreeAsync(address, stream));
    CUDA_OK(cuMemsetD8Async(address, 0, 64, stream));  // Not dead yet: the call cannot know.
    cuStreamSynchronize(stream);
  });
  EXPECT_EQ(ending, Ending::fatal);
  EXPECT_EQ(stage.fault(), "use_after_free");
}

TEST_F(CudaTiming, QueryingMemoryAfterItsStreamOrderedFreeIsAFault) {
  run(lagging(), [] {
    CUstream stream = make_stream();
    CUdeviceptr address = allocate_async(64, stream);
    CUDA_OK(cuMemFreeAsync(address, stream));
    CUdeviceptr base = 0;
    cuPointerGetAttribute(&base, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, address);
  });
  EXPECT_EQ(stage.fault(), "api_misuse");
}

// cuda.h says nothing of work in flight: what was launched runs to its end, with its variables.
TEST_F(CudaTiming, AModuleMayBeUnloadedUnderAQueuedKernel) {
  stage.judge_order();
  run(lagging(), [] {
    CUmodule module = nullptr;
    CUfunction function = get_kernel(&afterlife_kernels_conformance, "add_one", &module);
    CUdeviceptr address = allocate(64);
    CUstream stream = make_stream();
    CUDA_OK(cuMemsetD32Async(address, 3, 1, stream));
    int count = 1;
    CUDA_OK(launch(function, 1, 1, stream, {&address, &count}));
    CUDA_OK(cuModuleUnload(module));
    EXPECT_EQ(cuStreamQuery(stream), CUDA_SUCCESS) << "which it waited for";
    EXPECT_EQ(read_int(address), 4);
  });
  expect_finished();
}

TEST_F(CudaTiming, VariablesOfAnUnloadedModuleLastUntilItsKernelEnds) {
  static std::uint64_t variable = 0;
  static const KernelVariable table{"table", 64, nullptr};
  KernelImage image = afterlife_kernels_conformance;
  image.variable_count = 1;
  image.variables = &table;
  image.variable_addresses = &variable;
  run(lagging(), [&image] {
    CUmodule module = nullptr;
    CUfunction function = get_kernel(&image, "add_one", &module);
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    CUDA_OK(cuModuleGetGlobal_v2(&address, &bytes, module, "table"));
    int count = 1;
    CUstream stream = make_stream();
    CUDA_OK(launch(function, 1, 1, stream, {&address, &count}));
    CUDA_OK(cuModuleUnload(module));
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(cuMemGetAddressRange_v2(nullptr, nullptr, address), CUDA_ERROR_NOT_FOUND);
  });
  expect_finished();
}

TEST_F(CudaTiming, AFunctionEndsWithItsModule) {
  run(Plain(), [] {
    CUmodule module = nullptr;
    CUfunction function = get_kernel(&afterlife_kernels_conformance, "add_one", &module);
    CUdeviceptr address = allocate(64);
    int count = 1;
    CUDA_OK(cuModuleUnload(module));
    EXPECT_EQ(launch(function, 1, 1, nullptr, {&address, &count}), CUDA_ERROR_INVALID_HANDLE);
  });
  EXPECT_EQ(stage.fault(), "use_after_free");
  run(Plain(), [] {
    CUmodule module = nullptr;
    CUfunction function = get_kernel(&afterlife_kernels_conformance, "add_one", &module);
    CUDA_OK(cuModuleUnload(module));
    int value = 0;
    EXPECT_EQ(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function),
              CUDA_ERROR_INVALID_HANDLE);
  });
  EXPECT_EQ(stage.fault(), "use_after_free");
}

TEST_F(CudaTiming, PinnedAndDeviceMemoryHaveSeparateFreeFunctions) {
  run(Plain(), [] {
    EXPECT_EQ(cuMemFree_v2(reinterpret_cast<CUdeviceptr>(pin(64))), CUDA_ERROR_INVALID_VALUE);
  });
  EXPECT_EQ(stage.fault(), "api_misuse");
  run(Plain(), [] {
    EXPECT_EQ(cuMemFreeHost(reinterpret_cast<void*>(allocate(64))), CUDA_ERROR_INVALID_VALUE);
  });
  EXPECT_EQ(stage.fault(), "api_misuse");
}

TEST_F(CudaTiming, CuMemFreeBeforeTheStreamOrderedAllocationIsAFault) {
  struct LagAndReuse : Strategy {
    std::uint32_t answer(const Question& question) override {
      return question.site == Site::lag || question.site == Site::reuse ? 1 : 0;
    }
  };
  run(LagAndReuse(), [] {
    CUstream stream = make_stream();
    CUdeviceptr first = allocate_async(64, stream);
    CUDA_OK(cuMemFreeAsync(first, stream));
    CUdeviceptr second = allocate_async(64, stream);
    EXPECT_EQ(second, first);
    CUDA_OK(cuMemFree_v2(second));
  });
  EXPECT_EQ(stage.fault(), "api_misuse");
}

TEST_F(CudaTiming, ADeviceCopyOfUnknownMemoryIsAFault) {
  run(Plain(), [] {
    int on_stack = 0;
    EXPECT_EQ(cuMemcpyDtoD_v2(allocate(64), reinterpret_cast<CUdeviceptr>(&on_stack), 4),
              CUDA_ERROR_INVALID_VALUE);
  });
  EXPECT_EQ(stage.fault(), "api_misuse");
}

TEST_F(CudaTiming, OutsideATaskAFatalFaultBreaksTheContextUntilItsEnd) {
  Always late = lagging();
  stage.run_outside(late, [] {
    CUcontext context = nullptr;
    CUDA_OK(cuInit(0));
    CUDA_OK(cuDevicePrimaryCtxRetain(&context, 0));
    CUDA_OK(cuCtxSetCurrent(context));
    CUdeviceptr address = allocate_async(64);
    CUstream stream = make_stream();
    keep_busy(stream, address);
    CUDA_OK(cuMemFree_v2(address));
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(cuMemAlloc_v2(&address, 64), CUDA_ERROR_ILLEGAL_ADDRESS);
    CUDA_OK(cuDevicePrimaryCtxRelease_v2(0));
    CUDA_OK(cuDevicePrimaryCtxRetain(&context, 0));
    CUDA_OK(cuCtxSetCurrent(context));
    CUDA_OK(cuMemAlloc_v2(&address, 64));
  });
  EXPECT_EQ(stage.fault(), "use_after_free");
}

TEST_F(CudaTiming, ExecutionAffinityAndGraphicsContextsAreUnsupported) {
  run(Plain(), [] {
    CUexecAffinityParam affinity{};
    CUctxCigParam graphics{};
    CUctxCreateParams params{};
    CUcontext context = nullptr;
    params.execAffinityParams = &affinity;
    params.numExecAffinityParams = 1;
    EXPECT_EQ(cuCtxCreate_v4(&context, &params, 0, 0), CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
    params = {};
    params.cigParams = &graphics;
    EXPECT_EQ(cuCtxCreate_v4(&context, &params, 0, 0), CUDA_ERROR_NOT_SUPPORTED);
    params = {};
    CUDA_OK(cuCtxCreate_v4(&context, &params, 0, 0));
  });
  expect_finished();
}

TEST_F(CudaTiming, AContextWithAffinityAndForGraphicsIsAFault) {
  run(Plain(), [] {
    CUexecAffinityParam affinity{};
    CUctxCigParam graphics{};
    CUctxCreateParams params{};
    params.execAffinityParams = &affinity;
    params.cigParams = &graphics;
    CUcontext context = nullptr;
    EXPECT_NE(cuCtxCreate_v4(&context, &params, 0, 0), CUDA_SUCCESS);
  });
  EXPECT_EQ(stage.fault(), "api_misuse");
}

TEST_F(CudaTiming, FabricHandlesOfAPoolAreUnsupported) {
  run(Plain(), [] {
    CUmemPoolProps properties{};
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.handleTypes = CU_MEM_HANDLE_TYPE_FABRIC;
    CUmemoryPool pool = nullptr;
    EXPECT_EQ(cuMemPoolCreate(&pool, &properties), CUDA_ERROR_NOT_SUPPORTED);
  });
}

TEST_F(CudaTiming, ABlockingStreamWaitsForTheLegacyOne) {
  run(lagging(), [] {
    CUdeviceptr address = allocate(64);
    CUdeviceptr copy = allocate(64);
    CUDA_OK(cuMemsetD32_v2(address, 0, 1));
    CUDA_OK(cuCtxSynchronize());
    CUstream blocking = make_stream(CU_STREAM_DEFAULT);
    keep_busy(nullptr, address);
    CUDA_OK(cuMemcpyDtoDAsync_v2(copy, address, sizeof(int), blocking));
    CUDA_OK(cuStreamSynchronize(blocking));
    EXPECT_EQ(read_int(copy), 1);
  });
  expect_finished();
}

TEST_F(CudaTiming, AHostFunctionThatWaitsForALaterOneIsADeadlock) {
  World& world = stage.world;
  run(Plain(), [&world] {
    Latch called(world.scheduler, 1);
    const auto wait = [](void* latch) { static_cast<Latch*>(latch)->wait(); };
    const auto tell = [](void* latch) { static_cast<Latch*>(latch)->count_down(); };
    CUstream first = make_stream();
    CUDA_OK(cuLaunchHostFunc(first, wait, &called));
    CUDA_OK(cuLaunchHostFunc(make_stream(), tell, &called));
    CUDA_OK(cuStreamSynchronize(first));
  });
  EXPECT_EQ(ending, Ending::deadlock);
}

TEST_F(CudaTiming, ADestroyedStreamCompletesItsWork) {
  run(lagging(), [] {
    CUdeviceptr address = allocate(64);
    CUDA_OK(cuMemsetD32_v2(address, 0, 1));
    CUDA_OK(cuCtxSynchronize());
    CUstream stream = make_stream();
    keep_busy(stream, address);
    CUDA_OK(cuStreamDestroy_v2(stream));
    CUDA_OK(cuCtxSynchronize());
    EXPECT_EQ(read_int(address), 1);
  });
  expect_finished();
}

}  // namespace
}  // namespace harness::testing
