// SPDX-License-Identifier: Apache-2.0
// Data races on the device: unordered uses are faults even if the run executed them one after the
// other, and ordered uses never are. On the simulated driver, with work executed at submission.
#include <gmock/gmock.h>

#include <array>
#include <vector>

#include "harness/devices/sim/sim_device.h"
#include "harness/devices/tests/streams/race_stage.h"

namespace harness::testing {
namespace {

class CudaRace : public RaceStage {};

void add_one(CUstream stream, CUdeviceptr address, int count = 1) {
  CUfunction function = get_kernel(&afterlife_kernels_conformance, "add_one");
  EXPECT_EQ(launch(function, 1, 64, stream, {&address, &count}), CUDA_SUCCESS);
}

// ---- the end of memory ------------------------------------------------------------------------

TEST_F(CudaRace, AFreeUnorderedWithAKernelIsAFault) {
  run([] {
    CUstream user = make_stream();
    CUstream owner = make_stream();
    CUdeviceptr address = allocate_async(64, owner);
    after(user, owner);
    add_one(user, address);
    CUDA_OK(cuMemFreeAsync(address, owner));
  });
  expect_order();
}

TEST_F(CudaRace, AFreeOrderedByAnEventAfterAKernelIsNotAFault) {
  run([] {
    CUstream user = make_stream();
    CUstream owner = make_stream();
    CUdeviceptr address = allocate_async(64, owner);
    after(user, owner);
    add_one(user, address);
    after(owner, user);
    CUDA_OK(cuMemFreeAsync(address, owner));
  });
  expect_none();
}

TEST_F(CudaRace, AFreeAfterTheHostHasWaitedIsNotAFault) {
  run([] {
    CUstream user = make_stream();
    CUstream owner = make_stream();
    for (int how = 0; how < 4; ++how) {
      CUdeviceptr address = allocate_async(64, owner);
      after(user, owner);
      set(user, address);
      CUevent event = make_event();
      CUDA_OK(cuEventRecord(event, user));
      if (how == 0) CUDA_OK(cuStreamSynchronize(user));
      if (how == 1) CUDA_OK(cuEventSynchronize(event));
      if (how == 2) CUDA_OK(cuCtxSynchronize());
      if (how == 3) CUDA_OK(cuEventQuery(event));
      CUDA_OK(cuMemFreeAsync(address, owner));
    }
  });
  expect_none();
}

TEST_F(CudaRace, AnEventRecordedBeforeTheUseOrdersNothing) {
  run([] {
    CUstream user = make_stream();
    CUstream owner = make_stream();
    CUdeviceptr address = allocate_async(64, owner);
    after(user, owner);
    CUevent early = make_event();
    CUDA_OK(cuEventRecord(early, user));
    set(user, address);
    CUDA_OK(cuStreamWaitEvent(owner, early, 0));
    CUDA_OK(cuMemFreeAsync(address, owner));
  });
  expect_order();
}

TEST_F(CudaRace, PoolMemoryFreedByCuMemFreeIsNotWaitedFor) {
  run([] {
    CUstream stream = make_stream();
    CUdeviceptr address = allocate_async(64, stream);
    set(stream, address);
    CUDA_OK(cuMemFree_v2(address));
  });
  expect_order();
}

TEST_F(CudaRace, PlainMemoryIsWaitedFor) {
  run([] {
    CUdeviceptr address = allocate(64);
    set(make_stream(), address);
    set(make_stream(), address + 64 - 1, 1);
    CUDA_OK(cuMemFree_v2(address));
  });
  EXPECT_EQ(stage.faults.size(), 1u) << stage.fault();  // The two sets race; the free does not.
  EXPECT_EQ(stage.faults.front().use_site, Label("cuMemsetD8Async"));
}

TEST_F(CudaRace, AUseUnorderedWithTheAllocationIsAFault) {
  run([] {
    CUstream owner = make_stream();
    CUdeviceptr address = allocate_async(64, owner);
    set(make_stream(), address);
  });
  expect_order();
}

// ---- two uses ---------------------------------------------------------------------------------

TEST_F(CudaRace, TwoCopiesIntoTheSameBytesRace) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUdeviceptr source = allocate(64);
    CUDA_OK(cuMemcpyDtoDAsync_v2(address, source, 8, make_stream()));
    CUDA_OK(cuMemcpyDtoDAsync_v2(address + 4, source, 8, make_stream()));
  });
  expect_order();
}

TEST_F(CudaRace, CopiesOfDifferentBytesOrThatOnlyReadDoNotRace) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUdeviceptr source = allocate(64);
    CUDA_OK(cuMemcpyDtoDAsync_v2(address, source, 8, make_stream()));
    CUDA_OK(cuMemcpyDtoDAsync_v2(address + 8, source, 8, make_stream()));
  });
  expect_none();
}

TEST_F(CudaRace, ACopyOutRacesWithAKernelOfANonBlockingStream) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUstream stream = make_stream();
    add_one(stream, address);
    read_int(address);
  });
  expect_order();
}

TEST_F(CudaRace, ABlockingStreamAndTheLegacyOneDoNotRace) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUstream first = make_stream(CU_STREAM_DEFAULT);
    CUstream second = make_stream(CU_STREAM_DEFAULT);
    add_one(first, address);
    set(nullptr, address);
    add_one(second, address);
    read_int(address);
  });
  expect_none();
}

TEST_F(CudaRace, KernelsThatUseHalvesOfOneBlockDoNotRace) {
  run([] {
    CUdeviceptr address = allocate(2 * 64 * sizeof(int));
    add_one(make_stream(), address, 64);
    add_one(make_stream(), address + 64 * sizeof(int), 64);
  });
  expect_none();
}

TEST_F(CudaRace, KernelsThatShareOneElementRace) {
  run([] {
    CUdeviceptr address = allocate(2 * 64 * sizeof(int));
    add_one(make_stream(), address, 64);
    add_one(make_stream(), address + 63 * sizeof(int), 64);
  });
  expect_order();
}

TEST_F(CudaRace, OrderIsTransitiveThroughAThirdStream) {
  run([] {
    CUdeviceptr address = allocate(64);
    const std::array<CUstream, 3> streams{make_stream(), make_stream(), make_stream()};
    set(streams[0], address);
    after(streams[1], streams[0]);
    after(streams[2], streams[1]);
    set(streams[2], address);
  });
  expect_none();
}

TEST_F(CudaRace, AWaitForAnotherStreamDoesNotOrderTheThird) {
  run([] {
    CUdeviceptr address = allocate(64);
    const std::array<CUstream, 3> streams{make_stream(), make_stream(), make_stream()};
    set(streams[0], address);
    after(streams[2], streams[1]);
    set(streams[2], address);
  });
  expect_order();
}

TEST_F(CudaRace, WorkBeforeAHostFunctionIsDoneOnceTheHostSeesIt) {
  run([this] {
    CUdeviceptr address = allocate(64);
    CUstream stream = make_stream();
    Latch called(stage.world.scheduler, 1);
    set(stream, address);
    const auto call = [](void* data) { static_cast<Latch*>(data)->count_down(); };
    CUDA_OK(cuLaunchHostFunc(stream, call, &called));
    called.wait();
    set(make_stream(), address);
  });
  expect_none();
}

TEST_F(CudaRace, AQueryThatFindsWorkNotReadyOrdersNothing) {
  Always late = lagging();
  stage.run(late, [] {
    CUdeviceptr address = allocate(64);
    CUstream first = make_stream();
    CUstream second = make_stream();
    set(first, address);
    EXPECT_EQ(cuStreamQuery(first), CUDA_ERROR_NOT_READY);
    set(second, address);
    CUDA_OK(cuCtxSynchronize());
  });
  expect_order();
}

TEST_F(CudaRace, AnExecutableInReusedStorageIsNotMistakenForAStream) {
  run([] {
    CUdeviceptr mine = allocate(64);
    CUdeviceptr shared = allocate(64);
    CUgraph small = make_graph();
    add_set(small, mine, 1);
    CUstream stream = make_stream();
    CUgraphExec exec = instantiate(small);
    launch_and_wait(exec, stream);
    CUDA_OK(cuGraphExecDestroy(exec));
    set(make_stream(), shared);
    CUgraph large = make_graph();
    add_set(large, shared, 2, {add_set(large, mine, 1, {add_set(large, mine, 1)})});
    CUDA_OK(cuGraphLaunch(instantiate(large), stream));
    CUDA_OK(cuCtxSynchronize());
  });
  expect_order();
}

TEST_F(CudaRace, LaunchesOfOneExecutableAreInOrder) {
  run([] {
    CUdeviceptr address = allocate(64);
    CUgraph graph = make_graph();
    add_set(graph, address, 2, {add_set(graph, address, 1)});
    CUgraphExec exec = instantiate(graph);
    CUDA_OK(cuGraphLaunch(exec, make_stream()));
    CUDA_OK(cuGraphLaunch(exec, make_stream()));
    CUDA_OK(cuCtxSynchronize());
  });
  expect_none();
}

TEST_F(CudaRace, AFreeInAGraphComesAfterEveryUse) {
  for (const bool is_ordered : {true, false}) {
    run([is_ordered] {
      CUstream stream = make_stream();
      CUstream user = make_stream();
      CUdeviceptr address = 0;
      CUgraph allocating = make_graph();
      add_alloc(allocating, address);
      CUgraph freeing = make_graph();
      add_free(freeing, address);
      CUDA_OK(cuGraphLaunch(instantiate(allocating), stream));
      after(user, stream);
      set(user, address);
      if (is_ordered) after(stream, user);
      CUDA_OK(cuGraphLaunch(instantiate(freeing), stream));
      CUDA_OK(cuCtxSynchronize());
    });
    is_ordered ? expect_none() : expect_order();
  }
}

TEST_F(CudaRace, RacesAreReportedOnlyIfTheScenarioEnablesThem) {
  CudaStage other{devices::sim.make()};
  other.run([] {
    CUdeviceptr address = allocate(64);
    set(make_stream(), address);
    set(make_stream(), address);
  });
  EXPECT_TRUE(other.faults.empty()) << other.fault();
}

// cuda.h: an executable in flight is freed asynchronously, on completion. Nothing has waited.
TEST_F(CudaRace, DestroyingAnExecutableOrdersNothingAfterItsLaunch) {
  for (const bool has_user_object : {false, true}) {
    run([has_user_object] {
      CUdeviceptr address = allocate_async(64);
      CUDA_OK(cuStreamSynchronize(nullptr));
      CUgraph graph = make_graph();
      add_set(graph, address, 1);
      static int destroyed = 0;
      CUuserObject object = nullptr;
      if (has_user_object) {
        CUDA_OK(cuUserObjectCreate(&object, &destroyed, count_up, 1,
                                   CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
        CUDA_OK(cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
      }
      CUgraphExec exec = instantiate(graph);
      CUDA_OK(cuGraphDestroy(graph));
      CUDA_OK(cuGraphLaunch(exec, make_stream()));
      CUDA_OK(cuGraphExecDestroy(exec));
      CUDA_OK(cuMemFreeAsync(address, make_stream()));
    });
    expect_order();
  }
}

}  // namespace
}  // namespace harness::testing
