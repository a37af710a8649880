// SPDX-License-Identifier: Apache-2.0
// Rules of the driver for which no other test failed when a mutant broke them: lifetimes of graph
// memory and of references, memory released by a synchronization, and objects that end with a
// context.
#include "harness/devices/tests/arrays/array_stage.h"
#include "harness/devices/tests/graphs/graph_stage.h"

namespace harness::testing {
namespace {

class CudaSurvivors : public UnderStrategy {};

std::uint64_t pool_counter(CUmemPool_attribute attribute) {
  CUmemoryPool pool = nullptr;
  cuuint64_t value = 0;
  EXPECT_EQ(cuDeviceGetDefaultMemPool(&pool, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemPoolGetAttribute(pool, attribute, &value), CUDA_SUCCESS);
  return value;
}

TEST_F(CudaSurvivors, ACloneHoldsAsManyReferencesAsItsOriginal) {
  stage.run([] {
    CUuserObject object = nullptr;
    CUDA_OK(
        cuUserObjectCreate(&object, nullptr, [](void*) {}, 2, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    CUgraph graph = make_graph();
    CUDA_OK(cuGraphRetainUserObject(graph, object, 2, CU_GRAPH_USER_OBJECT_MOVE));
    CUgraph clone = nullptr;
    CUDA_OK(cuGraphClone(&clone, graph));
    CUDA_OK(cuGraphDestroy(graph));
    EXPECT_EQ(cuGraphReleaseUserObject(clone, object, 2), CUDA_SUCCESS);
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

/// A use that the next launch does not wait for is in no order with the free that this launch
/// makes.
void use_what_a_launch_has_left(bool is_second) {
  CUgraph graph = make_graph();
  CUdeviceptr first = 0;
  CUdeviceptr second = 0;
  add_alloc(graph, first);
  add_alloc(graph, second);
  CUgraphExec exec = instantiate(graph, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
  CUstream stream = make_stream();
  launch_and_wait(exec, stream);
  CUDA_OK(cuMemsetD32Async(is_second ? second : first, 1, 1, make_stream()));
  launch_and_wait(exec, stream);
}

TEST_F(CudaSurvivors, ALaunchFreesAllMemoryOfThePreviousOne) {
  stage.judge_order();
  for (const bool is_second : {false, true}) {
    stage.run([is_second] { use_what_a_launch_has_left(is_second); });
    EXPECT_EQ(stage.fault(), "data_race") << is_second;
  }
}

TEST_F(CudaSurvivors, ANodeWaitsForAllItsDependencies) {
  run(Always(Site::order, 100), [] {
    const CUdeviceptr memory = allocate(64);
    CUgraph graph = make_graph();
    CUgraphNode first = add_set(graph, memory, 5);
    CUgraphNode second = add_set(graph, memory + 16, 6);
    add_copy(graph, memory + 32, memory, {first, second});
    launch_and_wait(instantiate(graph));
    EXPECT_EQ(read_int(memory + 32), 5);
  });
  expect_finished();
}

TEST_F(CudaSurvivors, GraphMemoryIsFreedByItsStartAddress) {
  stage.run([] {
    CUgraph graph = make_graph();
    CUdeviceptr address = 0;
    CUgraphNode node = add_alloc(graph, address);
    CUgraphNode made = nullptr;
    EXPECT_EQ(cuGraphAddMemFreeNode(&made, graph, &node, 1, address + 8), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST_F(CudaSurvivors, ElapsedTimeNeedsBothEventsToBeRecorded) {
  stage.run([] {
    CUevent recorded = make_event();
    CUDA_OK(cuEventRecord(recorded, nullptr));
    CUDA_OK(cuCtxSynchronize());
    float milliseconds = 0;
    EXPECT_EQ(cuEventElapsedTime_v2(&milliseconds, recorded, make_event()),
              CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuEventElapsedTime_v2(&milliseconds, make_event(), recorded),
              CUDA_ERROR_INVALID_HANDLE);
  });
}

TEST_F(CudaSurvivors, PinnedMemoryIsNotFreedByCuMemFreeAsync) {
  stage.run([] {
    void* host = nullptr;
    CUDA_OK(cuMemAllocHost_v2(&host, 64));
    EXPECT_EQ(cuMemFreeAsync(reinterpret_cast<CUdeviceptr>(host), nullptr),
              CUDA_ERROR_INVALID_VALUE);
  });
  EXPECT_EQ(stage.fault(), "api_misuse");
}

TEST_F(CudaSurvivors, ASynchronizeReleasesUnusedPoolMemory) {
  stage.run([] {
    CUDA_OK(cuMemFreeAsync(allocate_async(1 << 20), nullptr));
    EXPECT_GT(pool_counter(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 0u);
    CUDA_OK(cuCtxSynchronize());
    EXPECT_EQ(pool_counter(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 0u);
    CUDA_OK(cuMemFreeAsync(allocate_async(1 << 20), nullptr));
    CUevent event = make_event();
    CUDA_OK(cuEventRecord(event, nullptr));
    CUDA_OK(cuEventSynchronize(event));
    EXPECT_EQ(pool_counter(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 0u);
  });
}

TEST_F(CudaSurvivors, APoolKeepsMemoryUpToItsThreshold) {
  stage.run([] {
    CUmemoryPool pool = nullptr;
    CUDA_OK(cuDeviceGetDefaultMemPool(&pool, 0));
    cuuint64_t threshold = 1 << 20;
    CUDA_OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    CUDA_OK(cuMemFreeAsync(allocate_async(4 << 20), nullptr));
    CUDA_OK(cuCtxSynchronize());
    EXPECT_EQ(pool_counter(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), threshold);
    CUDA_OK(cuMemPoolTrimTo(pool, 1 << 19));
    EXPECT_EQ(pool_counter(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), std::uint64_t{1} << 19);
  });
}

/// Makes something in its own context, which is gone when this returns.
template <class Make>
auto made_in_a_context_that_ended(Make make) {
  CUcontext before = current_context();
  CUcontext context = nullptr;
  EXPECT_EQ(cuCtxCreate_v4(&context, nullptr, 0, 0), CUDA_SUCCESS);
  auto made = make();
  EXPECT_EQ(cuCtxDestroy_v2(context), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSetCurrent(before), CUDA_SUCCESS);
  return made;
}

TEST_F(CudaSurvivors, AStreamEndsWithItsContext) {
  stage.run([] {
    CUstream stream = made_in_a_context_that_ended([] { return make_stream(); });
    EXPECT_NE(cuStreamSynchronize(stream), CUDA_SUCCESS);
  });
  EXPECT_EQ(stage.fault(), "use_after_free");
}

TEST_F(CudaSurvivors, AnEventEndsWithItsContext) {
  stage.run([] {
    CUevent event = made_in_a_context_that_ended([] { return make_event(); });
    EXPECT_NE(cuEventSynchronize(event), CUDA_SUCCESS);
  });
  EXPECT_EQ(stage.fault(), "use_after_free");
}

TEST_F(CudaSurvivors, AModuleEndsWithItsContext) {
  stage.run([] {
    CUmodule module = made_in_a_context_that_ended([] {
      CUmodule loaded = nullptr;
      get_kernel(&afterlife_kernels_conformance, "add_one", &loaded);
      return loaded;
    });
    CUfunction function = nullptr;
    EXPECT_NE(cuModuleGetFunction(&function, module, "add_one"), CUDA_SUCCESS);
  });
  EXPECT_EQ(stage.fault(), "use_after_free");
}

TEST_F(CudaSurvivors, ASurfaceEndsWithItsContext) {
  stage.run([] {
    CUsurfObject surface = made_in_a_context_that_ended([] {
      const CUDA_RESOURCE_DESC resource =
          resource_of(make_array(4, 2, 0, CU_AD_FORMAT_SIGNED_INT32, 1, CUDA_ARRAY3D_SURFACE_LDST));
      CUsurfObject made = 0;
      EXPECT_EQ(cuSurfObjectCreate(&made, &resource), CUDA_SUCCESS);
      return made;
    });
    CUDA_RESOURCE_DESC found{};
    EXPECT_NE(cuSurfObjectGetResourceDesc(&found, surface), CUDA_SUCCESS);
  });
  EXPECT_EQ(stage.fault(), "use_after_free");
}

TEST_F(CudaSurvivors, TheEndOfAContextWaitsForItsWork) {
  run(lagging(), [] {
    CUdeviceptr address = 0;
    CUDA_OK(cuMemAllocManaged(&address, 64, CU_MEM_ATTACH_GLOBAL));
    auto* value = reinterpret_cast<volatile int*>(address);
    *value = 0;
    made_in_a_context_that_ended([address] {
      CUstream stream = make_stream();
      EXPECT_EQ(cuMemsetD32Async(address, 5, 1, stream), CUDA_SUCCESS);
      EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
      return stream;
    });
    EXPECT_EQ(*value, 5);
  });
  expect_finished();
}

TEST_F(CudaSurvivors, SynchronizingADestroyedCurrentContextFails) {
  World& world = stage.world;
  run(Plain(), [&world] {
    CUcontext made = nullptr;
    CUDA_OK(cuCtxCreate_v4(&made, nullptr, 0, 0));
    Latch is_current(world.scheduler, 1);
    Latch is_destroyed(world.scheduler, 1);
    Latch has_tried(world.scheduler, 1);
    world.scheduler.spawn("other", [&, made] {
      CUDA_OK(cuCtxSetCurrent(made));
      is_current.count_down();
      is_destroyed.wait();
      EXPECT_EQ(cuCtxSynchronize_v2(nullptr), CUDA_ERROR_CONTEXT_IS_DESTROYED);
      has_tried.count_down();
    });
    is_current.wait();
    CUDA_OK(cuCtxDestroy_v2(made));
    is_destroyed.count_down();
    has_tried.wait();
  });
  expect_finished();
}

}  // namespace
}  // namespace harness::testing
