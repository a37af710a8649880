// SPDX-License-Identifier: Apache-2.0
// The conformance suite of devices/: calls that stream capture forbids, and their effect on a
// capture.
#include "harness/core/fault/kinds.h"
#include "harness/devices/tests/graphs/capture_stage.h"

namespace harness::testing {
namespace {

class CudaCaptureRules : public OnEveryDevice {};

TEST_P(CudaCaptureRules, InvalidBeginsAndEndsAreRefused) {
  run([] {
    CUgraph graph = nullptr;
    EXPECT_NE(cuStreamBeginCapture_v2(nullptr, kGlobal), CUDA_SUCCESS);
    CUstream stream = make_stream();
    EXPECT_EQ(cuStreamBeginCapture_v2(stream, static_cast<CUstreamCaptureMode>(9)),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_ERROR_ILLEGAL_STATE);
    CUDA_OK(cuStreamBeginCapture_v2(stream, kGlobal));
    EXPECT_EQ(cuStreamBeginCapture_v2(stream, kGlobal), CUDA_ERROR_ILLEGAL_STATE);
    EXPECT_EQ(node_count(end_capture(stream)), 0u);
  });
}

TEST_P(CudaCaptureRules, NullIsInvalid) {
  if (GetParam() == Backend::gpu) GTEST_SKIP() << "a driver need not survive what is undefined";
  run([] {
    CUstream stream = capturing(kRelaxed);
    EXPECT_EQ(cuStreamEndCapture(stream, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuStreamIsCapturing(stream, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuStreamBatchMemOp_v2(stream, 1, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuThreadExchangeStreamCaptureMode(nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(node_count(end_capture(stream)), 0u);
  });
}

// Which calls are unsafe no document lists: these an H200's driver refuses, and copies it does not.
TEST_P(CudaCaptureRules, PoolsAndLimitsAreUnsafeDuringACaptureAndCopiesAreNot) {
  run([] {
    const CUdeviceptr memory = allocate(64);
    const CUstream other = make_stream(CU_STREAM_NON_BLOCKING);
    CUdeviceptr of_pool = allocate_async(64, other);
    CUmemPoolProps wanted{};
    wanted.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    wanted.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    CUmemoryPool pool = nullptr;
    CUDA_OK(cuMemPoolCreate(&pool, &wanted));
    std::uint64_t threshold = 0;
    const auto expect_unsafe = [](const char* what, auto call) {
      for (const CUstreamCaptureMode mode : {kGlobal, kThreadLocal}) {
        CUstream stream = capturing(mode);
        EXPECT_EQ(call(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) << what;
        expect_lost(stream);
      }
    };
    CUdeviceptr made = 0;
    CUmemoryPool another = nullptr;
    expect_unsafe("allocation", [&] { return cuMemAllocAsync(&made, 64, other); });
    expect_unsafe("free", [&] { return cuMemFreeAsync(of_pool, other); });
    expect_unsafe("creation", [&] { return cuMemPoolCreate(&another, &wanted); });
    expect_unsafe("destruction", [&] { return cuMemPoolDestroy(pool); });
    expect_unsafe("trim", [&] { return cuMemPoolTrimTo(pool, 0); });
    expect_unsafe("attribute", [&] {
      return cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold);
    });
    expect_unsafe("limit", [] { return cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 1 << 20); });
    CUstream stream = capturing(kGlobal);
    int value = 0;
    CUDA_OK(cuMemcpyHtoD_v2(memory, &value, sizeof value));
    CUDA_OK(cuMemcpyDtoD_v2(memory + 8, memory, 4));
    CUDA_OK(cuMemsetD32_v2(memory, 1, 1));
    EXPECT_EQ(node_count(end_capture(stream)), 0u);
    CUDA_OK(cuMemFreeAsync(of_pool, other));
    CUDA_OK(cuMemPoolDestroy(pool));
  });
  expect_no_fault();
}

TEST_P(CudaCaptureRules, ACapturingStreamCannotBeWaitedFor) {
  run([] {
    CUstream stream = capturing(kRelaxed);
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
        << "the same of one that is lost";
    expect_lost(stream);
    stream = capturing(kRelaxed);
    EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    expect_lost(stream);
    stream = capturing(kRelaxed);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    expect_lost(stream);
    stream = capturing(kRelaxed);
    const auto call = [](CUstream, CUresult, void*) {};
    EXPECT_EQ(cuStreamAddCallback(stream, call, nullptr, 0), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    expect_lost(stream);
    CUdeviceptr managed = 0;
    CUDA_OK(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
    stream = capturing(kRelaxed);
    EXPECT_EQ(cuStreamAttachMemAsync(stream, managed, 0, CU_MEM_ATTACH_GLOBAL),
              CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    expect_lost(stream);
  });
}

// cuda-python#2834 and mujoco_warp#425: current drivers refuse these like cuMemAlloc.
TEST_P(CudaCaptureRules, PoolQueriesAndUnloadsAreForbiddenUnderAGlobalCapture) {
  run([this] {
    CUmemoryPool pool = nullptr;
    CUDA_OK(cuDeviceGetDefaultMemPool(&pool, 0));
    CUmodule module = nullptr;
    CUDA_OK(cuModuleLoadData(&module, image()));
    CUlibrary library = nullptr;
    CUDA_OK(cuLibraryLoadData(&library, image(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    cuuint64_t bytes = 0;
    const auto ask = [&] {
      return cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &bytes);
    };
    CUstream stream = capturing(kGlobal);
    EXPECT_EQ(ask(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    expect_lost(stream);
    stream = capturing(kGlobal);
    EXPECT_EQ(cuModuleUnload(module), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    expect_lost(stream);
    stream = capturing(kGlobal);
    EXPECT_EQ(cuLibraryUnload(library), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    expect_lost(stream);
    stream = capturing(kRelaxed);
    CUDA_OK(ask());
    CUDA_OK(cuModuleUnload(module));
    CUDA_OK(cuLibraryUnload(library));
    CUDA_OK(cuGraphDestroy(end_capture(stream)));
  });
  expect_no_fault();
}

// pytorch#161037 and onnxruntime#32081: destroying an old executable invalidates the capture.
TEST_P(CudaCaptureRules, NoExecutableIsMadeOrDestroyedUnderAGlobalCapture) {
  run([] {
    CUgraph graph = make_graph();
    CUgraphExec exec = instantiate(graph);
    CUstream stream = capturing(kGlobal);
    EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    expect_lost(stream);
    stream = capturing(kGlobal);
    CUgraphExec another = nullptr;
    EXPECT_EQ(cuGraphInstantiateWithFlags(&another, graph, 0),
              CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    expect_lost(stream);
    stream = capturing(kGlobal);
    CUDA_GRAPH_INSTANTIATE_PARAMS params{};
    EXPECT_EQ(cuGraphInstantiateWithParams(&another, graph, &params),
              CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    expect_lost(stream);
    stream = capturing(kRelaxed);
    CUDA_OK(cuGraphInstantiateWithFlags(&another, graph, 0));
    CUDA_OK(cuGraphExecDestroy(exec));
    CUDA_OK(cuGraphDestroy(end_capture(stream)));
  });
  expect_no_fault();
}

TEST_P(CudaCaptureRules, AnEventOfACaptureCannotBeWaitedForOnTheHost) {
  run([] {
    CUevent event = make_event();
    CUstream stream = capturing(kRelaxed);
    CUDA_OK(cuEventRecord(event, stream));
    EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_CAPTURED_EVENT);
    expect_lost(stream);
    stream = capturing(kRelaxed);
    CUDA_OK(cuEventRecord(event, stream));
    EXPECT_EQ(cuEventSynchronize(event), CUDA_ERROR_CAPTURED_EVENT);
    expect_lost(stream);
  });
}

TEST_P(CudaCaptureRules, UncapturableCallsAreForbiddenUnlessTheModeIsRelaxed) {
  run([] {
    for (const CUstreamCaptureMode mode : {kGlobal, kThreadLocal, kRelaxed}) {
      CUstream stream = capturing(mode);
      CUdeviceptr address = 0;
      if (mode == kRelaxed) {
        CUDA_OK(cuMemAlloc_v2(&address, 64));
        end_capture(stream);
        continue;
      }
      EXPECT_EQ(cuMemAlloc_v2(&address, 64), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
      expect_lost(stream);
    }
  });
}

TEST_P(CudaCaptureRules, AThreadCanRelaxItsOwnMode) {
  run([] {
    CUstreamCaptureMode mode = kRelaxed;
    CUDA_OK(cuThreadExchangeStreamCaptureMode(&mode));
    EXPECT_EQ(mode, kGlobal);
    CUstream stream = capturing(kGlobal);
    allocate(64);
    end_capture(stream);
    CUDA_OK(cuThreadExchangeStreamCaptureMode(&mode));
    EXPECT_EQ(mode, kRelaxed);
    if (GetParam() == Backend::gpu) return;  // Driver 580 takes any.
    mode = static_cast<CUstreamCaptureMode>(9);
    EXPECT_EQ(cuThreadExchangeStreamCaptureMode(&mode), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(CudaCaptureRules, UsingTheLegacyStreamInvalidatesACaptureOfABlockingOne) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUstream stream = capturing(kRelaxed, CU_STREAM_DEFAULT);
    CUstreamCaptureStatus status{};
    EXPECT_EQ(cuStreamIsCapturing(nullptr, &status), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    EXPECT_EQ(
        cuStreamGetCaptureInfo_v3(nullptr, &status, nullptr, nullptr, nullptr, nullptr, nullptr),
        CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    EXPECT_EQ(status_of(stream), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    EXPECT_EQ(cuMemsetD32Async(address, 1, 1, nullptr), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    expect_lost(stream);
  });
}

TEST_P(CudaCaptureRules, AnUnjoinedForkInvalidatesTheCapture) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUstream origin = capturing();
    CUstream other = make_stream();
    CUevent fork = make_event();
    set(origin, address, 1);
    CUDA_OK(cuEventRecord(fork, origin));
    CUDA_OK(cuStreamWaitEvent(other, fork, 0));
    set(other, address + 8, 2);
    CUgraph graph = nullptr;
    EXPECT_EQ(cuStreamEndCapture(origin, &graph), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    EXPECT_EQ(graph, nullptr);
    EXPECT_EQ(status_of(other), CU_STREAM_CAPTURE_STATUS_NONE);
  });
}

TEST_P(CudaCaptureRules, ACaptureEndsInTheStreamWhereItBegan) {
  run([] {
    CUstream origin = capturing();
    CUstream other = make_stream();
    CUevent fork = make_event();
    CUDA_OK(cuEventRecord(fork, origin));
    CUDA_OK(cuStreamWaitEvent(other, fork, 0));
    CUgraph graph = nullptr;
    EXPECT_EQ(cuStreamEndCapture(other, &graph), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    expect_lost(origin);
  });
}

TEST_P(CudaCaptureRules, TwoCapturesCannotMerge) {
  run([] {
    CUstream first = capturing();
    CUstream second = capturing();
    CUevent event = make_event();
    CUDA_OK(cuEventRecord(event, first));
    EXPECT_EQ(cuStreamWaitEvent(second, event, 0), CUDA_ERROR_STREAM_CAPTURE_MERGE);
    expect_lost(first);
    expect_lost(second);
  });
}

TEST_P(CudaCaptureRules, ACaptureDoesNotWaitForWorkOutsideIt) {
  run([] {
    CUevent event = make_event();
    CUDA_OK(cuEventRecord(event, make_stream()));
    CUstream stream = capturing();
    EXPECT_EQ(cuStreamWaitEvent(stream, event, 0), CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    expect_lost(stream);
  });
}

TEST_P(CudaCaptureRules, AnUploadIntoACapturingStreamIsRefused) {
  run([] {
    CUgraph graph = make_graph();
    CUgraphExec exec = instantiate(graph);
    CUstream stream = capturing(kRelaxed);
    EXPECT_EQ(cuGraphUpload(exec, stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    expect_lost(stream);
    stream = capturing(kRelaxed);
    CUDA_GRAPH_INSTANTIATE_PARAMS params{};
    params.flags = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
    params.hUploadStream = stream;
    EXPECT_EQ(cuGraphInstantiateWithParams(&exec, graph, &params),
              CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    expect_lost(stream);
  });
  expect_no_fault();
}

TEST_P(CudaCaptureRules, DependenciesOfTheNextNodeMustBeOfItsGraph) {
  run([] {
    CUgraphNode elsewhere = add_empty(make_graph());
    CUstream stream = capturing(kRelaxed);
    set(stream, allocate(64), 1);
    EXPECT_EQ(cuStreamUpdateCaptureDependencies_v2(stream, &elsewhere, nullptr, 1, 0),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuStreamUpdateCaptureDependencies_v2(stream, nullptr, nullptr, 1, 0),
              CUDA_ERROR_INVALID_VALUE);
    CUstreamCaptureStatus status{};
    const CUgraphNode* nodes = nullptr;
    CUDA_OK(cuStreamGetCaptureInfo_v3(stream, &status, nullptr, nullptr, &nodes, nullptr, nullptr));
    CUgraphNode set_node = nodes[0];
    CUgraphEdgeData wrong{};
    wrong.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
    EXPECT_EQ(cuStreamUpdateCaptureDependencies_v2(stream, &set_node, &wrong, 1, 0),
              CUDA_ERROR_INVALID_VALUE);
    end_capture(stream);
  });
  expect_no_fault();
}

INSTANTIATE_ON_EVERY_DEVICE(CudaCaptureRules);

// ---- several threads --------------------------------------------------------------------------

class CudaCaptureThreads : public OnSim {};

TEST_F(CudaCaptureThreads, OnlyTheThreadThatBeganAStrictCaptureEndsIt) {
  World& world = stage.world;
  stage.run([&world] {
    CUcontext context = current_context();
    CUstream stream = capturing(kThreadLocal);
    CUstream relaxed = capturing(kRelaxed);
    Latch tried(world.scheduler, 1);
    world.scheduler.spawn("other", [&, context] {
      CUDA_OK(cuCtxSetCurrent(context));
      CUgraph graph = nullptr;
      EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
      EXPECT_EQ(cuStreamEndCapture(relaxed, &graph), CUDA_SUCCESS);
      tried.count_down();
    });
    tried.wait();
    end_capture(stream);
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(CudaCaptureThreads, AGlobalCaptureRestrictsOtherThreadsAndALocalOneDoesNot) {
  World& world = stage.world;
  stage.run([&world] {
    CUcontext context = current_context();
    for (const CUstreamCaptureMode mode : {kGlobal, kThreadLocal}) {
      CUstream stream = capturing(mode);
      Latch tried(world.scheduler, 1);
      world.scheduler.spawn("other", [&, context] {
        CUDA_OK(cuCtxSetCurrent(context));
        CUdeviceptr address = 0;
        EXPECT_EQ(cuMemAlloc_v2(&address, 64),
                  mode == kGlobal ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS);
        tried.count_down();
      });
      tried.wait();
      if (mode == kGlobal)
        expect_lost(stream);
      else
        end_capture(stream);
    }
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(CudaCaptureThreads, NodesOfAGraphBeingCapturedAreNotDestroyed) {
  stage.run([] {
    CUstream stream = make_stream();
    CUgraph graph = make_graph();
    CUgraphNode node = add_empty(graph);
    CUDA_OK(cuStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0, kRelaxed));
    EXPECT_EQ(cuGraphDestroyNode(node), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphDestroy(graph), CUDA_ERROR_INVALID_VALUE);
    end_capture(stream);
    CUDA_OK(cuGraphDestroyNode(node));
    CUDA_OK(cuGraphDestroy(graph));
  });
  ASSERT_EQ(stage.faults.size(), 2u) << stage.fault();
  for (const Fault& fault : stage.faults) EXPECT_EQ(fault.kind, FaultKind::api_misuse);
}

/// Captures work in a fork that is destroyed before the capture ends, which answers `expected`.
void end_after_fork(bool joins, CUresult expected) {
  CUstream origin = capturing(kRelaxed);
  CUstream fork = make_stream();
  CUevent begins = make_event();
  CUevent ends = make_event();
  CUdeviceptr address = allocate(64);
  CUDA_OK(cuEventRecord(begins, origin));
  CUDA_OK(cuStreamWaitEvent(fork, begins, 0));
  CUDA_OK(cuMemsetD8Async(address, 1, 64, fork));
  CUDA_OK(cuEventRecord(ends, fork));
  if (joins) CUDA_OK(cuStreamWaitEvent(origin, ends, 0));
  CUDA_OK(cuStreamDestroy_v2(fork));
  CUDA_OK(cuMemsetD8Async(address, 2, 64, origin));
  CUgraph graph = nullptr;
  EXPECT_EQ(cuStreamEndCapture(origin, &graph), expected);
}

TEST_P(CudaCaptureRules, AJoinedForkMayEndBeforeItsCapture) {
  run([] { end_after_fork(true, CUDA_SUCCESS); });
}

TEST_F(CudaCaptureThreads, DestroyingAnUnjoinedForkInvalidatesTheCapture) {
  stage.run([] { end_after_fork(false, CUDA_ERROR_STREAM_CAPTURE_UNJOINED); });
}

TEST_F(CudaCaptureThreads, DestroyingAStreamEndsItsCapture) {
  stage.run([] {
    CUstream origin = capturing(kRelaxed);
    CUstream other = make_stream();
    CUevent fork = make_event();
    CUDA_OK(cuEventRecord(fork, origin));
    CUDA_OK(cuStreamWaitEvent(other, fork, 0));
    CUDA_OK(cuStreamDestroy_v2(origin));
    EXPECT_EQ(status_of(other), CU_STREAM_CAPTURE_STATUS_NONE);
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

}  // namespace
}  // namespace harness::testing
