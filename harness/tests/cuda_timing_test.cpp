// What the documentation says about when device work happens, and the undefined behaviours that are a
// matter of it. On the simulated driver, where a pick decides how late work is.
#include <cstring>

#include "harness/tests/cuda_stage.h"

namespace harness::testing {
namespace {

class CudaTiming : public OnSim {
 protected:
  template <class Strategy, class Body>
  void run(Strategy strategy, Body body) {
    ending = stage.run(strategy, body);
  }
  void expect_finished() const {
    EXPECT_EQ(ending, Ending::finished);
    EXPECT_TRUE(stage.faults.empty()) << stage.fault();
  }
  Ending ending = Ending::finished;
};

void* pin(std::size_t bytes) {
  void* pinned = nullptr;
  EXPECT_EQ(cuMemAllocHost_v2(&pinned, bytes), CUDA_SUCCESS);
  return pinned;
}

// ---- lag --------------------------------------------------------------------------------------

TEST_F(CudaTiming, PlainWorkIsDoneAtSubmission) {
  run(Plain(), [] {
    CUstream stream = make_stream();
    keep_busy(stream, allocate(64));
    EXPECT_EQ(cuStreamQuery(stream), CUDA_SUCCESS);
  });
  expect_finished();
  EXPECT_TRUE(stage.tape.empty());
}

TEST_F(CudaTiming, LaggingWorkIsDoneByTheTimeSomebodyHasWaited) {
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
    auto* out = static_cast<int*>(pin(64));
    CUdeviceptr out_address = reinterpret_cast<CUdeviceptr>(out);
    std::memset(out, 0, 64);
    CUDA_OK(cuMemcpyHtoD_v2(table, &data, sizeof data));
    CUDA_OK(cuMemsetD32_v2(data, 5, 4));
    CUDA_OK(cuCtxSynchronize());
    CUfunction function = get_kernel(&afterlife_kernels_conformance, "copy_indirect");
    CUstream stream = make_stream();
    CUDA_OK(launch(function, 4, 2, stream, {&table, &out_address}));
    EXPECT_EQ(out[1], 5);
    EXPECT_EQ(out[2], 0);
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(out[3], 5);
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

TEST_F(CudaTiming, PinnedMemoryIsReadWhenTheStreamGetsThere) {
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

TEST_F(CudaTiming, ACopyToPinnedMemoryIsNot) {
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
TEST_F(CudaTiming, ASynchronousCopyFromPageableMemoryMayStillBeUnderWayForANonBlockingStream) {
  run(lagging(), [] {
    CUdeviceptr address = allocate(64);
    CUdeviceptr copied = allocate(64);
    CUstream stream = make_stream(CU_STREAM_NON_BLOCKING);
    CUDA_OK(cuMemsetD32Async(address, 7, 1, stream));  // Of those that can go on, it goes first.
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

// ---- the default streams ----------------------------------------------------------------------

TEST_F(CudaTiming, LegacyWorkWaitsForBlockingStreamsAndTheyForIt) {
  run(lagging(), [] {
    CUdeviceptr address = allocate(64);
    CUDA_OK(cuMemsetD32_v2(address, 0, 1));
    CUDA_OK(cuCtxSynchronize());
    CUstream first = make_stream(CU_STREAM_DEFAULT);
    CUstream second = make_stream(CU_STREAM_DEFAULT);
    keep_busy(first, address);
    CUDA_OK(cuMemsetD32Async(address, 10, 1, nullptr));
    keep_busy(second, address);
    CUDA_OK(cuStreamSynchronize(second));  // Takes the other two along.
    EXPECT_EQ(cuStreamQuery(first), CUDA_SUCCESS);
    EXPECT_EQ(read_int(address), 11);
  });
  expect_finished();
}

TEST_F(CudaTiming, NonBlockingStreamsAndLegacyWorkDoNotWaitForEachOther) {
  run(lagging(), [] {
    CUdeviceptr address = allocate(64);
    CUstream stream = make_stream(CU_STREAM_NON_BLOCKING);
    keep_busy(nullptr, address);
    keep_busy(stream, address);
    EXPECT_EQ(cuStreamQuery(nullptr), CUDA_ERROR_NOT_READY);
    EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    CUDA_OK(cuStreamSynchronize(nullptr));
    EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  });
  expect_finished();
}

TEST_F(CudaTiming, EachTaskHasItsOwnPerThreadStreamAndContext) {
  Always late = lagging();
  World& world = stage.world;
  ending = stage.run(late, [&world] {
    CUdeviceptr address = allocate(64);
    CUcontext context = nullptr;
    CUDA_OK(cuCtxGetCurrent(&context));
    keep_busy(CU_STREAM_PER_THREAD, address);
    EXPECT_EQ(cuStreamQuery(CU_STREAM_PER_THREAD), CUDA_ERROR_NOT_READY);
    bool looked = false;
    world.scheduler.spawn("other", [&world, context, &looked] {
      CUcontext current = nullptr;
      CUDA_OK(cuCtxGetCurrent(&current));
      EXPECT_EQ(current, nullptr);
      CUDA_OK(cuCtxSetCurrent(context));
      EXPECT_EQ(cuStreamQuery(CU_STREAM_PER_THREAD), CUDA_SUCCESS);
      looked = true;
      world.scheduler.touch(1);
    });
    world.scheduler.wait_until({1, AccessKind::read}, "the other task", [&] { return looked; });
  });
  expect_finished();
}

// ---- freeing ----------------------------------------------------------------------------------

TEST_F(CudaTiming, FreeingPlainMemoryWaitsForWhatIsInFlight) {
  run(lagging(), [] {
    CUdeviceptr address = allocate(64);
    keep_busy(make_stream(), address);
    CUDA_OK(cuMemFree_v2(address));
  });
  expect_finished();
}

// The documentation: this API will not perform any implicit synchronization [for pool memory].
TEST_F(CudaTiming, FreeingPoolMemoryAtOnceWhileAKernelUsesItIsAFault) {
  run(lagging(), [] {
    CUdeviceptr address = allocate_async(64);
    CUstream stream = make_stream();
    keep_busy(stream, address);
    CUDA_OK(cuMemFree_v2(address));
    cuStreamSynchronize(stream);
    ADD_FAILURE() << "went on after touching dead memory";
  });
  EXPECT_EQ(ending, Ending::fatal);
  EXPECT_EQ(stage.fault(), "use_after_death");
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
  EXPECT_EQ(stage.fault(), "use_after_death");
}

TEST_F(CudaTiming, AskingAboutMemoryAfterItsStreamOrderedFreeIsAFault) {
  run(lagging(), [] {
    CUstream stream = make_stream();
    CUdeviceptr address = allocate_async(64, stream);
    CUDA_OK(cuMemFreeAsync(address, stream));
    CUdeviceptr base = 0;
    cuPointerGetAttribute(&base, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, address);
  });
  EXPECT_EQ(stage.fault(), "api_misuse");
}

TEST_F(CudaTiming, AModuleUnloadedUnderAQueuedKernelIsAFault) {
  run(lagging(), [] {
    CUmodule module = nullptr;
    CUfunction function = get_kernel(&afterlife_kernels_conformance, "add_one", &module);
    CUdeviceptr address = allocate(64);
    int count = 1;
    CUstream stream = make_stream();
    CUDA_OK(launch(function, 1, 1, stream, {&address, &count}));
    CUDA_OK(cuModuleUnload(module));
    cuStreamSynchronize(stream);
  });
  EXPECT_EQ(ending, Ending::fatal);
  EXPECT_EQ(stage.fault(), "use_after_death");
}

TEST_F(CudaTiming, ADestroyedStreamStillDoesWhatItWasTold) {
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

// ---- events -----------------------------------------------------------------------------------

TEST_F(CudaTiming, AnEventIsDoneWhenTheWorkBeforeItIs) {
  run(lagging(), [] {
    CUstream stream = make_stream();
    CUevent start = make_event();
    CUevent end = make_event();
    CUDA_OK(cuEventRecord(start, stream));
    keep_busy(stream, allocate(64));
    CUDA_OK(cuEventRecord(end, stream));
    EXPECT_EQ(cuEventQuery(start), CUDA_SUCCESS);
    EXPECT_EQ(cuEventQuery(end), CUDA_ERROR_NOT_READY);
    float milliseconds = 0;
    EXPECT_EQ(cuEventElapsedTime_v2(&milliseconds, start, end), CUDA_ERROR_NOT_READY);
    CUDA_OK(cuEventSynchronize(end));
    EXPECT_EQ(cuStreamQuery(stream), CUDA_SUCCESS);
  });
  expect_finished();
}

TEST_F(CudaTiming, AnEventOrdersTwoStreams) {
  run(lagging(), [] {
    CUdeviceptr address = allocate(64);
    CUDA_OK(cuMemsetD32_v2(address, 0, 1));
    CUDA_OK(cuCtxSynchronize());
    CUstream producer = make_stream();
    CUstream consumer = make_stream();
    CUevent event = make_event();
    keep_busy(producer, address);
    CUDA_OK(cuEventRecord(event, producer));
    CUDA_OK(cuStreamWaitEvent(consumer, event, 0));
    CUDA_OK(cuEventDestroy_v2(event));  // The wait keeps its meaning.
    CUDA_OK(cuMemsetD32Async(address, 9, 1, consumer));
    CUDA_OK(cuStreamSynchronize(consumer));
    EXPECT_EQ(cuStreamQuery(producer), CUDA_SUCCESS);
    EXPECT_EQ(read_int(address), 9);
  });
  expect_finished();
}

TEST_F(CudaTiming, AWaitMeansTheRecordBeforeItNotALaterOne) {
  run(lagging(), [] {
    CUdeviceptr address = allocate(64);
    CUstream producer = make_stream();
    CUstream consumer = make_stream();
    CUevent event = make_event();
    CUDA_OK(cuEventRecord(event, producer));  // Nothing was queued: done.
    CUDA_OK(cuStreamWaitEvent(consumer, event, 0));
    keep_busy(producer, address);
    CUDA_OK(cuEventRecord(event, producer));
    CUDA_OK(cuStreamSynchronize(consumer));
    EXPECT_EQ(cuStreamQuery(producer), CUDA_ERROR_NOT_READY);
  });
  expect_finished();
}

// ---- host functions ---------------------------------------------------------------------------

TEST_F(CudaTiming, AHostFunctionMayNotCallCuda) {
  run(Plain(), [] {
    CUresult inside = CUDA_SUCCESS;
    const auto call = [](void* data) { *static_cast<CUresult*>(data) = cuCtxSynchronize(); };
    CUDA_OK(cuLaunchHostFunc(nullptr, call, &inside));
    CUDA_OK(cuStreamSynchronize(nullptr));
    EXPECT_EQ(inside, CUDA_ERROR_NOT_PERMITTED);
  });
  EXPECT_EQ(stage.fault(), "api_misuse");
}

TEST_F(CudaTiming, AHostFunctionHoldsUpTheWorkBehindIt) {
  run(Plain(), [] {
    CUdeviceptr address = allocate(64);
    CUDA_OK(cuLaunchHostFunc(nullptr, [](void*) {}, nullptr));
    CUDA_OK(cuMemsetD8Async(address, 1, 64, nullptr));
    EXPECT_EQ(cuStreamQuery(nullptr), CUDA_ERROR_NOT_READY);
    CUDA_OK(cuStreamSynchronize(nullptr));
    EXPECT_EQ(read_int(address), 0x01010101);
  });
  expect_finished();
}

// ---- contexts ---------------------------------------------------------------------------------

TEST_F(CudaTiming, NothingWorksBeforeCuInit) {
  Plain plain;
  ending = stage.run_bare(plain, [] {
    int count = 0;
    EXPECT_EQ(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
  });
}

TEST_F(CudaTiming, AContextDestroyedWhileCurrentElsewhereIsDestroyedThere) {
  World& world = stage.world;
  Plain plain;
  ending = stage.run(plain, [&world] {
    CUcontext made = nullptr;
    CUDA_OK(cuCtxCreate_v4(&made, nullptr, 0, 0));
    bool ready = false;
    bool destroyed = false;
    const Access access{2, AccessKind::read};
    world.scheduler.spawn("other", [&world, &ready, &destroyed, made, access] {
      CUDA_OK(cuCtxSetCurrent(made));
      ready = true;
      world.scheduler.touch(2);
      world.scheduler.wait_until(access, "the destruction", [&] { return destroyed; });
      CUdeviceptr address = 0;
      EXPECT_EQ(cuMemAlloc_v2(&address, 64), CUDA_ERROR_CONTEXT_IS_DESTROYED);
      ready = false;
      world.scheduler.touch(2);
    });
    world.scheduler.wait_until(access, "the other task", [&] { return ready; });
    CUDA_OK(cuCtxDestroy_v2(made));
    destroyed = true;
    world.scheduler.touch(2);
    world.scheduler.wait_until(access, "the other task", [&] { return !ready; });
  });
  expect_finished();
}

TEST_F(CudaTiming, TheEndOfAContextIsTheEndOfWhatItOwns) {
  run(Plain(), [] {
    CUcontext made = nullptr;
    CUDA_OK(cuCtxCreate_v4(&made, nullptr, 0, 0));
    CUdeviceptr owned = allocate(64);
    CUdeviceptr pooled = allocate_async(64);
    CUDA_OK(cuCtxDestroy_v2(made));
    EXPECT_EQ(cuMemFree_v2(owned), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemFree_v2(pooled), CUDA_SUCCESS);
  });
  EXPECT_EQ(stage.fault(), "double_free");
}

}  // namespace
}  // namespace harness::testing
