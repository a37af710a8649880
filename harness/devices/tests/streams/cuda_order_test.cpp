// SPDX-License-Identifier: Apache-2.0
// The order of work: default streams, events, host functions, threads and contexts. On the
// simulated driver, where a choice determines when work runs.
#include "harness/devices/tests/cuda_stage.h"

namespace harness::testing {
namespace {

class CudaOrder : public UnderStrategy {};

// ---- the default streams ----------------------------------------------------------------------

TEST_F(CudaOrder, LegacyAndBlockingStreamsWaitForEachOther) {
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

TEST_F(CudaOrder, NonBlockingStreamsAndLegacyWorkDoNotWaitForEachOther) {
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

TEST_F(CudaOrder, AQueryOfTheLegacyStreamCoversBlockingStreamsOnly) {
  run(lagging(), [] {
    CUdeviceptr address = allocate(64);
    CUstream other = make_stream(CU_STREAM_NON_BLOCKING);
    CUstream blocking = make_stream(CU_STREAM_DEFAULT);
    keep_busy(other, address);
    EXPECT_EQ(cuStreamQuery(nullptr), CUDA_SUCCESS);
    keep_busy(blocking, address);
    EXPECT_EQ(cuStreamQuery(nullptr), CUDA_ERROR_NOT_READY);
    CUDA_OK(cuStreamSynchronize(nullptr));
    EXPECT_EQ(cuStreamQuery(blocking), CUDA_SUCCESS);
  });
  expect_finished();
}

TEST_F(CudaOrder, EachTaskHasAPerThreadStreamAndContext) {
  Always late = lagging();
  World& world = stage.world;
  ending = stage.run(late, [&world] {
    CUdeviceptr address = allocate(64);
    CUcontext context = nullptr;
    CUDA_OK(cuCtxGetCurrent(&context));
    keep_busy(CU_STREAM_PER_THREAD, address);
    EXPECT_EQ(cuStreamQuery(CU_STREAM_PER_THREAD), CUDA_ERROR_NOT_READY);
    Latch looked(world.scheduler, 1);
    world.scheduler.spawn("other", [context, &looked] {
      CUcontext current = nullptr;
      CUDA_OK(cuCtxGetCurrent(&current));
      EXPECT_EQ(current, nullptr);
      CUDA_OK(cuCtxSetCurrent(context));
      EXPECT_EQ(cuStreamQuery(CU_STREAM_PER_THREAD), CUDA_SUCCESS);
      looked.count_down();
    });
    looked.wait();
  });
  expect_finished();
}

// ---- events -----------------------------------------------------------------------------------

TEST_F(CudaOrder, AnEventIsDoneWhenTheWorkBeforeItIs) {
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

TEST_F(CudaOrder, AnEventOrdersTwoStreams) {
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

TEST_F(CudaOrder, AWaitRefersToTheLastRecordBeforeIt) {
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

/// Waits for a latch, as a host function.
void wait_for_latch(void* latch) { static_cast<Latch*>(latch)->wait(); }

TEST_F(CudaOrder, ALaterRecordDoesNotProlongAHostWait) {
  World& world = stage.world;
  run(Plain(), [&world] {
    Latch first(world.scheduler, 1);
    Latch second(world.scheduler, 1);
    CUcontext context = nullptr;
    CUDA_OK(cuCtxGetCurrent(&context));
    CUstream recorded = make_stream();
    CUstream later = make_stream();
    CUevent event = make_event();
    CUDA_OK(cuLaunchHostFunc(recorded, wait_for_latch, &first));
    CUDA_OK(cuEventRecord(event, recorded));
    world.scheduler.spawn("other", [&] {  // While the task below waits.
      CUDA_OK(cuCtxSetCurrent(context));
      CUDA_OK(cuLaunchHostFunc(later, wait_for_latch, &second));
      CUDA_OK(cuEventRecord(event, later));
      first.count_down();
    });
    CUDA_OK(cuEventSynchronize(event));
    EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY) << "by its later record";
    second.count_down();
    CUDA_OK(cuEventSynchronize(event));
  });
  expect_finished();
}

/// Returns the orderings in the history, as the calls that each joins and their places.
std::vector<std::string> orderings_of(const History& history) {
  std::vector<std::string> calls;
  for (const Ordering& ordering : history.orderings()) {
    EXPECT_LT(ordering.before, ordering.after);
    calls.push_back(std::string(history.events()[ordering.before].what.view()) + " " +
                    history.events()[ordering.after].what.c_str());
  }
  return calls;
}

TEST_F(CudaOrder, TheHistoryLinksRecordsToWaits) {
  run(Plain(), [] {
    CUstream producer = make_stream();
    CUstream consumer = make_stream();
    CUevent event = make_event();
    CUDA_OK(cuStreamWaitEvent(consumer, event, 0));  // Was never recorded: orders nothing.
    CUDA_OK(cuEventRecord(event, producer));
    CUDA_OK(cuStreamWaitEvent(consumer, event, 0));
    CUDA_OK(cuEventSynchronize(event));
  });
  expect_finished();
  EXPECT_EQ(orderings_of(stage.world.history),
            (std::vector<std::string>{"cuEventRecord cuStreamWaitEvent",
                                      "cuEventRecord cuEventSynchronize"}));
}

// ---- host functions ---------------------------------------------------------------------------

TEST_F(CudaOrder, AHostFunctionMayNotCallCuda) {
  run(Plain(), [] {
    CUresult inside = CUDA_SUCCESS;
    const auto call = [](void* data) { *static_cast<CUresult*>(data) = cuCtxSynchronize(); };
    CUDA_OK(cuLaunchHostFunc(nullptr, call, &inside));
    CUDA_OK(cuStreamSynchronize(nullptr));
    EXPECT_EQ(inside, CUDA_ERROR_NOT_PERMITTED);
  });
  EXPECT_EQ(stage.fault(), "api_misuse");
}

TEST_F(CudaOrder, AHostFunctionDelaysTheWorkBehindIt) {
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

TEST_F(CudaOrder, NothingWorksBeforeCuInit) {
  Plain plain;
  ending = stage.run_bare(plain, [] {
    int count = 0;
    EXPECT_EQ(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
  });
}

TEST_F(CudaOrder, AContextDestroyedWhileCurrentInAnotherTaskIsGoneThere) {
  World& world = stage.world;
  Plain plain;
  ending = stage.run(plain, [&world] {
    CUcontext made = nullptr;
    CUDA_OK(cuCtxCreate_v4(&made, nullptr, 0, 0));
    Latch is_current(world.scheduler, 1);
    Latch is_destroyed(world.scheduler, 1);
    Latch has_tried(world.scheduler, 1);
    world.scheduler.spawn("other", [&, made] {
      CUDA_OK(cuCtxSetCurrent(made));
      is_current.count_down();
      is_destroyed.wait();
      CUdeviceptr address = 0;
      EXPECT_EQ(cuMemAlloc_v2(&address, 64), CUDA_ERROR_CONTEXT_IS_DESTROYED);
      has_tried.count_down();
    });
    is_current.wait();
    CUDA_OK(cuCtxDestroy_v2(made));
    is_destroyed.count_down();
    has_tried.wait();
  });
  expect_finished();
}

TEST_F(CudaOrder, TheEndOfAContextEndsEverythingItOwns) {
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
