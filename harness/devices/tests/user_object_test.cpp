// SPDX-License-Identifier: Apache-2.0
// User objects: their references, and the threads and times of their destructors. On the simulated
// driver, with its choices.
#include "harness/devices/tests/graphs/graph_stage.h"

namespace harness::testing {
namespace {

class UserObject : public OnSim {
 protected:
  template <class Strategy, class Body>
  void run(Strategy strategy, Body body) {
    EXPECT_EQ(stage.run(strategy, body), Ending::finished) << stage.fault();
  }
  template <class Body>
  void run(Body body) {
    run(Plain(), body);
  }
};

constexpr Resource kCalls = hash_name("calls");

/// Counts, and tells those that wait for it.
void count_call(void* data) {
  count_up(data);
  edge_release(data);
  World::current()->scheduler.touch(kCalls);
}

CUuserObject make_object(int& calls, unsigned count = 1) {
  CUuserObject object = nullptr;
  EXPECT_EQ(
      cuUserObjectCreate(&object, &calls, count_call, count, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
      CUDA_SUCCESS);
  return object;
}

/// A graph that owns the only reference.
CUgraph make_owner(int& calls) {
  CUgraph graph = make_graph();
  EXPECT_EQ(cuGraphRetainUserObject(graph, make_object(calls), 1, CU_GRAPH_USER_OBJECT_MOVE),
            CUDA_SUCCESS);
  return graph;
}

/// Lets other tasks run: destructors are called by one.
void yield() {
  Scheduler& scheduler = World::current()->scheduler;
  Latch latch(scheduler, 1);
  scheduler.spawn("other", [&latch] { latch.count_down(); });
  latch.wait();
}

/// Waits until `calls` destructors were called, as a program does that counts them itself.
void wait_for(int& calls, int wanted) {
  World::current()->scheduler.wait_until({kCalls, AccessKind::read}, "destructors",
                                         [&] { return calls == wanted; });
  edge_acquire(&calls);
}

TEST_F(UserObject, TheLastReferenceCallsTheDestructorOnce) {
  run([] {
    int calls = 0;
    CUuserObject object = make_object(calls, 2);
    CUDA_OK(cuUserObjectRetain(object, 1));
    CUDA_OK(cuUserObjectRelease(object, 2));
    CUDA_OK(cuUserObjectRelease(object, 1));
    EXPECT_EQ(calls, 0) << "by another thread";
    wait_for(calls, 1);
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(UserObject, CreationNeedsADestructorACountAndTheFlag) {
  run([] {
    int calls = 0;
    CUuserObject object = nullptr;
    constexpr unsigned kFlag = CU_USER_OBJECT_NO_DESTRUCTOR_SYNC;
    EXPECT_EQ(cuUserObjectCreate(nullptr, &calls, count_up, 1, kFlag), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuUserObjectCreate(&object, &calls, nullptr, 1, kFlag), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuUserObjectCreate(&object, &calls, count_up, 0, kFlag), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuUserObjectCreate(&object, &calls, count_up, 1, 0), CUDA_ERROR_INVALID_VALUE);
    object = make_object(calls);
    EXPECT_EQ(cuUserObjectRetain(object, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuUserObjectRetain(object, 0x80000000U), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuUserObjectRelease(object, 0), CUDA_ERROR_INVALID_VALUE);
    CUgraph graph = make_graph();
    EXPECT_EQ(cuGraphRetainUserObject(graph, object, 0, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphRetainUserObject(graph, object, 1, 2), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphRetainUserObject(graph, nullptr, 1, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphReleaseUserObject(graph, object, 0), CUDA_ERROR_INVALID_VALUE);
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(UserObject, ReleasingAReferenceNotOwnedByTheCallerIsAFault) {
  run([] {
    int calls = 0;
    CUuserObject object = make_object(calls);
    CUDA_OK(cuGraphRetainUserObject(make_graph(), object, 3, 0));
    EXPECT_EQ(cuUserObjectRelease(object, 2), CUDA_ERROR_INVALID_VALUE);
  });
  EXPECT_EQ(stage.fault(), "api_misuse");
}

TEST_F(UserObject, MovingAReferenceNotOwnedByTheCallerIsAFault) {
  run([] {
    int calls = 0;
    CUuserObject object = make_object(calls);
    EXPECT_EQ(cuGraphRetainUserObject(make_graph(), object, 2, CU_GRAPH_USER_OBJECT_MOVE),
              CUDA_ERROR_INVALID_VALUE);
  });
  EXPECT_EQ(stage.fault(), "api_misuse");
}

TEST_F(UserObject, ReleasingAReferenceNotOwnedByTheGraphIsAFault) {
  run([] {
    int calls = 0;
    EXPECT_EQ(cuGraphReleaseUserObject(make_graph(), make_object(calls), 1),
              CUDA_ERROR_INVALID_VALUE);
  });
  EXPECT_EQ(stage.fault(), "api_misuse");
}

TEST_F(UserObject, UsingAHandleAfterTheLastReleaseIsAFault) {
  run([] {
    int calls = 0;
    CUuserObject object = make_object(calls);
    CUDA_OK(cuUserObjectRelease(object, 1));
    EXPECT_EQ(cuUserObjectRetain(object, 1), CUDA_ERROR_INVALID_VALUE);
  });
  EXPECT_EQ(stage.fault(), "use_after_free");
}

// ---- references -------------------------------------------------------------------------------

TEST_F(UserObject, AMovedReferenceBelongsToTheGraph) {
  run([] {
    int calls = 0;
    CUgraph graph = make_owner(calls);
    yield();
    EXPECT_EQ(calls, 0);
    CUDA_OK(cuGraphDestroy(graph));
    wait_for(calls, 1);
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(UserObject, ACloneHasItsOwnReferences) {
  run([] {
    int calls = 0;
    CUgraph graph = make_owner(calls);
    CUgraph clone = nullptr;
    CUDA_OK(cuGraphClone(&clone, graph));
    CUDA_OK(cuGraphDestroy(graph));
    yield();
    EXPECT_EQ(calls, 0);
    CUDA_OK(cuGraphDestroy(clone));
    wait_for(calls, 1);
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(UserObject, AChildGraphNodeKeepsTheReferencesOfItsGraph) {
  run([] {
    int calls = 0;
    CUgraph inner = make_owner(calls);
    CUgraph outer = make_graph();
    CUgraphNode child = add_child(outer, inner);
    CUDA_OK(cuGraphDestroy(inner));
    CUgraphExec exec = instantiate(outer);
    CUDA_OK(cuGraphDestroyNode(child));
    yield();
    EXPECT_EQ(calls, 0) << "the executable keeps them";
    CUDA_OK(cuGraphExecDestroy(exec));
    wait_for(calls, 1);
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(UserObject, ALaunchInFlightKeepsTheReferencesOfItsExecutable) {
  run(lagging(), [] {
    int calls = 0;
    CUdeviceptr address = allocate(64);
    CUgraph graph = make_owner(calls);
    add_kernel(graph, get_kernel(&afterlife_kernels_conformance, "add_one"), address);
    CUgraphExec exec = instantiate(graph);
    CUDA_OK(cuGraphDestroy(graph));
    CUstream stream = make_stream();
    CUDA_OK(cuGraphLaunch(exec, stream));
    CUDA_OK(cuGraphLaunch(exec, stream));
    CUDA_OK(cuGraphExecDestroy(exec));
    EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    EXPECT_EQ(calls, 0);
    CUDA_OK(cuStreamSynchronize(stream));
    wait_for(calls, 1);
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(UserObject, AnUpdateReplacesReferencesOnceLaunchesAreOver) {
  run(lagging(), [] {
    int first = 0;
    int second = 0;
    CUdeviceptr address = allocate(64);
    CUfunction function = get_kernel(&afterlife_kernels_conformance, "add_one");
    CUgraph graph = make_owner(first);
    add_kernel(graph, function, address);
    CUgraphExec exec = instantiate(graph);
    CUDA_OK(cuGraphDestroy(graph));
    CUgraph other = make_owner(second);
    add_kernel(other, function, address);
    CUstream stream = make_stream();
    CUDA_OK(cuGraphLaunch(exec, stream));
    CUgraphExecUpdateResultInfo info{};
    CUDA_OK(cuGraphExecUpdate_v2(exec, other, &info));
    CUDA_OK(cuGraphDestroy(other));
    EXPECT_EQ(first, 0);
    CUDA_OK(cuStreamSynchronize(stream));
    wait_for(first, 1);
    EXPECT_EQ(second, 0);
    CUDA_OK(cuGraphExecDestroy(exec));
    wait_for(second, 1);
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(UserObject, LaterLaunchesKeepTheReferences) {
  run(lagging(), [] {
    int calls = 0;
    CUdeviceptr address = allocate(64);
    CUgraph graph = make_owner(calls);
    add_kernel(graph, get_kernel(&afterlife_kernels_conformance, "add_one"), address);
    CUgraphExec exec = instantiate(graph);
    CUDA_OK(cuGraphDestroy(graph));
    CUstream stream = make_stream();
    CUevent between = make_event();
    CUDA_OK(cuGraphLaunch(exec, stream));
    CUDA_OK(cuEventRecord(between, stream));
    CUDA_OK(cuGraphLaunch(exec, stream));
    CUDA_OK(cuGraphExecDestroy(exec));
    CUDA_OK(cuEventSynchronize(between));
    yield();
    EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    EXPECT_EQ(calls, 0);
    CUDA_OK(cuStreamSynchronize(stream));
    wait_for(calls, 1);
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(UserObject, AnExecutableChangedInFlightKeepsTheReferences) {
  run(lagging(), [] {
    int calls = 0;
    CUdeviceptr address = allocate(64);
    CUgraph graph = make_owner(calls);
    CUgraphNode node = add_set(graph, address, 1);
    CUgraphExec exec = instantiate(graph);
    CUDA_OK(cuGraphLaunch(exec, nullptr));
    const CUDA_MEMSET_NODE_PARAMS params = set_params(address, 2);
    CUDA_OK(cuGraphExecMemsetNodeSetParams(exec, node, &params, current_context()));
    CUDA_OK(cuGraphDestroy(graph));
    CUDA_OK(cuStreamSynchronize(nullptr));
    yield();
    EXPECT_EQ(calls, 0);
    CUDA_OK(cuGraphExecDestroy(exec));
    wait_for(calls, 1);
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(UserObject, AFailedCaptureDropsTheReferencesOfItsGraph) {
  run([] {
    int calls = 0;
    CUstream stream = make_stream();
    CUDA_OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CUstreamCaptureStatus status{};
    CUgraph graph = nullptr;
    CUDA_OK(cuStreamGetCaptureInfo_v3(stream, &status, nullptr, &graph, nullptr, nullptr, nullptr));
    CUDA_OK(cuGraphRetainUserObject(graph, make_object(calls), 1, CU_GRAPH_USER_OBJECT_MOVE));
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    wait_for(calls, 1);
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

// ---- the destructor ---------------------------------------------------------------------------

TEST_F(UserObject, ADestructorMayNotCallCuda) {
  run([] {
    struct Seen {
      int calls = 0;
      CUresult result = CUDA_SUCCESS;
    } seen;
    const auto free = [](void* data) {
      auto* mine = static_cast<Seen*>(data);
      mine->result = cuMemFreeAsync(0, nullptr);
      count_call(&mine->calls);
    };
    CUuserObject object = nullptr;
    CUDA_OK(cuUserObjectCreate(&object, &seen, free, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    CUDA_OK(cuUserObjectRelease(object, 1));
    wait_for(seen.calls, 1);
    EXPECT_EQ(seen.result, CUDA_ERROR_NOT_PERMITTED);
  });
  EXPECT_EQ(stage.fault(), "api_misuse");
}

TEST_F(UserObject, AllDestructorsShareOneThread) {
  run([] {
    struct Seen {
      int calls = 0;
      TaskId task = TaskId::none;
    } first, second;
    const auto look = [](void* data) {
      auto* mine = static_cast<Seen*>(data);
      mine->task = World::current()->scheduler.current();
      count_call(&mine->calls);
    };
    for (Seen* seen : {&first, &second}) {
      CUuserObject object = nullptr;
      CUDA_OK(cuUserObjectCreate(&object, seen, look, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
      CUDA_OK(cuUserObjectRelease(object, 1));
    }
    wait_for(second.calls, 1);
    EXPECT_EQ(first.calls, 1);
    EXPECT_EQ(first.task, second.task);
    EXPECT_NE(first.task, World::current()->scheduler.current());
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(UserObject, DestructorsRunInReleaseOrder) {
  run([] {
    struct Log {
      int count = 0;
      int first = 0;
      int second = 0;
    } log;
    const auto note_first = [](void* data) {
      auto* mine = static_cast<Log*>(data);
      mine->first = mine->count + 1;
      count_call(&mine->count);
    };
    const auto note_second = [](void* data) {
      auto* mine = static_cast<Log*>(data);
      mine->second = mine->count + 1;
      count_call(&mine->count);
    };
    constexpr unsigned kFlag = CU_USER_OBJECT_NO_DESTRUCTOR_SYNC;
    CUuserObject first = nullptr;
    CUuserObject second = nullptr;
    CUDA_OK(cuUserObjectCreate(&first, &log, note_first, 1, kFlag));
    CUDA_OK(cuUserObjectCreate(&second, &log, note_second, 1, kFlag));
    CUDA_OK(cuUserObjectRelease(second, 1));
    CUDA_OK(cuUserObjectRelease(first, 1));
    wait_for(log.count, 2);
    EXPECT_EQ(log.second, 1);
    EXPECT_EQ(log.first, 2);
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

/// A graph's memory is freed on another stream than it was launched on.
class UserObjectOrder : public UserObject {
 protected:
  UserObjectOrder() { stage.judge_order(); }

  /// `end(exec, graph)` ends what holds the object; `waits` is whether its destructor is waited
  /// for.
  template <class End>
  void free_after(bool waits, End end, std::uint32_t thread = 0) {
    run(Always(Site::thread, thread), [&] {
      int calls = 0;
      CUstream stream = make_stream(CU_STREAM_NON_BLOCKING);
      CUdeviceptr address = 0;
      CUDA_OK(cuMemAllocAsync(&address, 64, stream));
      CUgraph graph = make_owner(calls);
      add_set(graph, address, 1);
      CUgraphExec exec = instantiate(graph);
      CUDA_OK(cuGraphLaunch(exec, stream));
      end(exec, graph);
      if (waits) wait_for(calls, 1);
      CUDA_OK(cuMemFreeAsync(address, make_stream(CU_STREAM_NON_BLOCKING)));
    });
  }
};

void destroy_both(CUgraphExec exec, CUgraph graph) {
  CUDA_OK(cuGraphExecDestroy(exec));
  CUDA_OK(cuGraphDestroy(graph));
}

TEST_F(UserObjectOrder, ADestructorIsOrderedAfterTheLaunches) {
  free_after(true, destroy_both);
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(UserObjectOrder, ADestructorInTheReleasingCallIsOrderedAfterTheLaunches) {
  constexpr std::uint32_t kCaller = 2;
  free_after(true, destroy_both, kCaller);
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(UserObjectOrder, ADestructorRunByAnUpdateIsOrderedAfterTheLaunches) {
  free_after(true, [](CUgraphExec exec, CUgraph graph) {
    CUdeviceptr other = 0;
    CUDA_OK(cuMemAllocAsync(&other, 64, nullptr));
    CUgraph plain = make_graph();
    add_set(plain, other, 1);
    CUgraphExecUpdateResultInfo info{};
    CUDA_OK(cuGraphExecUpdate_v2(exec, plain, &info));
    CUDA_OK(cuGraphDestroy(graph));
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(UserObjectOrder, WithoutADestructorNothingOrdersTheLaunches) {
  free_after(false, destroy_both);
  EXPECT_EQ(stage.fault(), "data_race");
}

TEST_F(UserObject, WithoutTasksTheReleasingCallRunsTheDestructor) {
  Plain plain;
  stage.run_outside(plain, [] {
    CUDA_OK(cuInit(0));
    int calls = 0;
    CUDA_OK(cuUserObjectRelease(make_object(calls), 1));
    EXPECT_EQ(calls, 1);
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

}  // namespace
}  // namespace harness::testing
