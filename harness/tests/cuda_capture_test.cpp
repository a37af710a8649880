// The conformance suite of devices/: stream capture.
#include "harness/tests/graph_stage.h"

namespace harness::testing {
namespace {

class CudaCapture : public OnEveryDevice {};

constexpr auto kGlobal = CU_STREAM_CAPTURE_MODE_GLOBAL;
constexpr auto kThreadLocal = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
constexpr auto kRelaxed = CU_STREAM_CAPTURE_MODE_RELAXED;

CUstream capturing(CUstreamCaptureMode mode = kGlobal, unsigned flags = CU_STREAM_NON_BLOCKING) {
  CUstream stream = make_stream(flags);
  EXPECT_EQ(cuStreamBeginCapture_v2(stream, mode), CUDA_SUCCESS);
  return stream;
}

CUstreamCaptureStatus status_of(CUstream stream) {
  CUstreamCaptureStatus status{};
  EXPECT_EQ(cuStreamIsCapturing(stream, &status), CUDA_SUCCESS);
  return status;
}

std::size_t node_count(CUgraph graph) {
  std::size_t count = 0;
  EXPECT_EQ(cuGraphGetNodes(graph, nullptr, &count), CUDA_SUCCESS);
  return count;
}

std::size_t edge_count(CUgraph graph) {
  std::size_t count = 0;
  EXPECT_EQ(cuGraphGetEdges_v2(graph, nullptr, nullptr, nullptr, &count), CUDA_SUCCESS);
  return count;
}

/// Ends a capture that was invalidated, and expects that.
void expect_lost(CUstream stream) {
  EXPECT_EQ(status_of(stream), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  CUgraph graph = nullptr;
  EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(status_of(stream), CU_STREAM_CAPTURE_STATUS_NONE);
}

CUgraph end(CUstream stream) {
  CUgraph graph = nullptr;
  EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
  return graph;
}

void set(CUstream stream, CUdeviceptr address, unsigned value) {
  EXPECT_EQ(cuMemsetD32Async(address, value, 1, stream), CUDA_SUCCESS);
}

void launch_graph(CUgraph graph, CUstream stream) {
  CUgraphExec exec = nullptr;
  CUDA_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  CUDA_OK(cuGraphLaunch(exec, stream));
  CUDA_OK(cuStreamSynchronize(stream));
}

// ---- what is captured -------------------------------------------------------------------------

TEST_P(CudaCapture, WorkBecomesNodesInStreamOrderAndIsDoneByTheGraph) {
  const void* kernels = image();
  run([kernels] {
    CUfunction function = get_kernel(kernels, "add_one");
    CUdeviceptr address = allocate(64);
    CUdeviceptr copy = allocate(64);
    write_int(address, 1);
    CUstream stream = capturing(kRelaxed);
    EXPECT_EQ(status_of(stream), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    set(stream, address, 7);
    int count = 1;
    CUDA_OK(launch(function, 1, 1, stream, {&address, &count}));
    CUDA_OK(cuMemcpyDtoDAsync_v2(copy, address, sizeof(int), stream));
    CUDA_OK(cuLaunchHostFunc(
        stream, [](void*) {}, nullptr));
    CUgraph graph = end(stream);
    EXPECT_EQ(status_of(stream), CU_STREAM_CAPTURE_STATUS_NONE);
    EXPECT_EQ(node_count(graph), 4u);
    EXPECT_EQ(edge_count(graph), 3u);
    EXPECT_EQ(read_int(address), 1);
    launch_graph(graph, stream);
    EXPECT_EQ(read_int(copy), 8);
  });
  expect_no_fault();
}

TEST_P(CudaCapture, EventsForkAndJoin) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUstream origin = capturing();
    CUstream other = make_stream();
    CUevent fork = make_event();
    CUevent join = make_event();
    set(origin, address, 1);
    CUDA_OK(cuEventRecord(fork, origin));
    CUDA_OK(cuStreamWaitEvent(other, fork, 0));
    EXPECT_EQ(status_of(other), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    set(other, address + 8, 2);
    set(origin, address + 16, 3);
    CUDA_OK(cuEventRecord(join, other));
    CUDA_OK(cuStreamWaitEvent(origin, join, 0));
    set(origin, address + 24, 4);
    CUgraph graph = end(origin);
    EXPECT_EQ(status_of(other), CU_STREAM_CAPTURE_STATUS_NONE);
    EXPECT_EQ(node_count(graph), 4u);
    EXPECT_EQ(edge_count(graph), 4u);
  });
  expect_no_fault();
}

TEST_P(CudaCapture, ExternalEventsAreNodes) {
  run([] {
    CUevent event = make_event();
    CUstream stream = capturing();
    CUDA_OK(cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_EXTERNAL));
    CUDA_OK(cuStreamWaitEvent(stream, event, CU_EVENT_WAIT_EXTERNAL));
    EXPECT_EQ(node_count(end(stream)), 2u);
  });
}

TEST_P(CudaCapture, ACaptureCanFillAGraphThatIsThere) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUgraph graph = make_graph();
    CUgraphNode first = nullptr;
    CUDA_OK(cuGraphAddEmptyNode(&first, graph, nullptr, 0));
    CUstream stream = make_stream();
    CUDA_OK(cuStreamBeginCaptureToGraph(stream, graph, &first, nullptr, 1, kGlobal));
    set(stream, address, 1);
    EXPECT_EQ(end(stream), graph);
    EXPECT_EQ(node_count(graph), 2u);
    EXPECT_EQ(edge_count(graph), 1u);
    EXPECT_EQ(cuStreamBeginCaptureToGraph(stream, nullptr, nullptr, nullptr, 0, kGlobal),
              CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(CudaCapture, TheNextNodesDependenciesCanBeAskedForAndChanged) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUstream stream = capturing();
    set(stream, address, 1);
    set(stream, address + 8, 2);
    CUstreamCaptureStatus status{};
    cuuint64_t id = 0;
    CUgraph graph = nullptr;
    const CUgraphNode* nodes = nullptr;
    std::size_t count = 0;
    CUDA_OK(cuStreamGetCaptureInfo_v3(stream, &status, &id, &graph, &nodes, nullptr, &count));
    EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    EXPECT_NE(id, 0u);
    ASSERT_EQ(count, 1u);
    CUgraphNode second = nodes[0];
    CUgraphNode mine = nullptr;
    CUDA_OK(cuGraphAddEmptyNode(&mine, graph, &second, 1));
    CUDA_OK(cuStreamUpdateCaptureDependencies_v2(stream, &mine, nullptr, 1,
                                                 CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    CUDA_OK(cuStreamUpdateCaptureDependencies_v2(stream, &second, nullptr, 1,
                                                 CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
    CUDA_OK(cuStreamGetCaptureInfo_v3(stream, &status, nullptr, nullptr, &nodes, nullptr, &count));
    EXPECT_EQ(count, 2u);
    EXPECT_EQ(
        cuStreamGetCaptureInfo_v3(stream, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr),
        CUDA_ERROR_INVALID_VALUE);
    const CUgraphEdgeData* data = nullptr;
    EXPECT_EQ(cuStreamGetCaptureInfo_v3(stream, &status, nullptr, nullptr, nullptr, &data, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuStreamUpdateCaptureDependencies_v2(stream, nullptr, nullptr, 0, 99),
              CUDA_ERROR_INVALID_VALUE);
    set(stream, address + 16, 3);
    EXPECT_EQ(end(stream), graph);
    EXPECT_EQ(node_count(graph), 4u);
    EXPECT_EQ(cuStreamUpdateCaptureDependencies_v2(stream, nullptr, nullptr, 0, 0),
              CUDA_ERROR_ILLEGAL_STATE);
  });
}

// ---- what is forbidden ------------------------------------------------------------------------

TEST_P(CudaCapture, BeginningAndEndingHaveTheirRules) {
  run([] {
    CUgraph graph = nullptr;
    EXPECT_NE(cuStreamBeginCapture_v2(nullptr, kGlobal), CUDA_SUCCESS);
    CUstream stream = make_stream();
    EXPECT_EQ(cuStreamBeginCapture_v2(stream, static_cast<CUstreamCaptureMode>(9)),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_ERROR_ILLEGAL_STATE);
    CUDA_OK(cuStreamBeginCapture_v2(stream, kGlobal));
    EXPECT_EQ(cuStreamBeginCapture_v2(stream, kGlobal), CUDA_ERROR_ILLEGAL_STATE);
    EXPECT_EQ(cuStreamEndCapture(stream, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuStreamIsCapturing(stream, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(node_count(end(stream)), 0u);
  });
}

TEST_P(CudaCapture, AStreamThatCapturesCannotBeWaitedFor) {
  run([] {
    CUstream stream = capturing(kRelaxed);
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
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

TEST_P(CudaCapture, AnEventOfACaptureCannotBeWaitedForOnTheHost) {
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

TEST_P(CudaCapture, WhatACaptureCannotSeeIsForbiddenUnlessItIsRelaxed) {
  run([] {
    for (const CUstreamCaptureMode mode : {kGlobal, kThreadLocal, kRelaxed}) {
      CUstream stream = capturing(mode);
      CUdeviceptr address = 0;
      if (mode == kRelaxed) {
        CUDA_OK(cuMemAlloc_v2(&address, 64));
        end(stream);
        continue;
      }
      EXPECT_EQ(cuMemAlloc_v2(&address, 64), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
      expect_lost(stream);
    }
  });
}

TEST_P(CudaCapture, AThreadCanRelaxItsOwnMode) {
  run([] {
    CUstreamCaptureMode mode = kRelaxed;
    CUDA_OK(cuThreadExchangeStreamCaptureMode(&mode));
    EXPECT_EQ(mode, kGlobal);
    CUstream stream = capturing(kGlobal);
    allocate(64);
    end(stream);
    CUDA_OK(cuThreadExchangeStreamCaptureMode(&mode));
    EXPECT_EQ(mode, kRelaxed);
    EXPECT_EQ(cuThreadExchangeStreamCaptureMode(nullptr), CUDA_ERROR_INVALID_VALUE);
    mode = static_cast<CUstreamCaptureMode>(9);
    EXPECT_EQ(cuThreadExchangeStreamCaptureMode(&mode), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_P(CudaCapture, TheLegacyStreamWouldDependOnABlockingOne) {
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

TEST_P(CudaCapture, AForkHasToBeJoined) {
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

TEST_P(CudaCapture, ACaptureEndsWhereItBegan) {
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

TEST_P(CudaCapture, TwoCapturesCannotMerge) {
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

TEST_P(CudaCapture, ACaptureDoesNotWaitForWhatIsOutsideOfIt) {
  run([] {
    CUevent event = make_event();
    CUDA_OK(cuEventRecord(event, make_stream()));
    CUstream stream = capturing();
    EXPECT_EQ(cuStreamWaitEvent(stream, event, 0), CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    expect_lost(stream);
  });
}

INSTANTIATE_ON_EVERY_DEVICE(CudaCapture);

// ---- several threads; and work that nodes cannot do yet ---------------------------------------

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
    end(stream);
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(CudaCaptureThreads, AGlobalCaptureForbidsOthersWhatItCannotSeeAndALocalOneDoesNot) {
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
        end(stream);
    }
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(CudaCaptureThreads, AllocationsAndMemoryOperationsAreNotCapturedYet) {
  stage.run([] {
    CUdeviceptr address = allocate(64);
    CUstream stream = capturing(kRelaxed);
    CUdeviceptr pooled = 0;
    EXPECT_EQ(cuMemAllocAsync(&pooled, 64, stream), CUDA_ERROR_NOT_SUPPORTED);
    expect_lost(stream);
    stream = capturing(kRelaxed);
    EXPECT_EQ(cuStreamWriteValue32_v2(stream, address, 1, 0), CUDA_ERROR_NOT_SUPPORTED);
    expect_lost(stream);
    pooled = allocate_async(64);
    stream = capturing(kRelaxed);
    EXPECT_EQ(cuMemFreeAsync(pooled, stream), CUDA_ERROR_NOT_SUPPORTED);
    expect_lost(stream);
    CUgraphExec exec = nullptr;
    CUDA_OK(cuGraphInstantiateWithFlags(&exec, make_graph(), 0));
    stream = capturing(kRelaxed);
    EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_ERROR_NOT_SUPPORTED);
    expect_lost(stream);
  });
}

TEST_F(CudaCaptureThreads, AStreamThatEndsTakesItsCaptureAlong) {
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
