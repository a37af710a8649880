// SPDX-License-Identifier: Apache-2.0
// Graphs that refer to freed memory or to destroyed objects, reused handles, and concurrent use of
// a graph by two threads. On the simulated driver, with its choices.
#include "harness/devices/tests/graphs/graph_stage.h"

namespace harness::testing {
namespace {

class GraphStale : public UnderStrategy {};

CUfunction add_one() { return get_kernel(&afterlife_kernels_conformance, "add_one"); }

// ---- memory of nodes --------------------------------------------------------------------------

/// A graph of one kernel node, whose memory is freed before the launch.
void launch_with_freed_memory(bool recycle) {
  CUdeviceptr address = allocate_async(64);
  CUgraph graph = make_graph();
  add_kernel(graph, add_one(), address);
  CUgraphExec exec = instantiate(graph);
  EXPECT_EQ(cuMemFreeAsync(address, nullptr), CUDA_SUCCESS);
  if (recycle) {
    EXPECT_EQ(allocate_async(64), address);
  }
  EXPECT_EQ(cuGraphLaunch(exec, nullptr), CUDA_SUCCESS);
}

TEST_F(GraphStale, AKernelNodeWhoseMemoryWasFreedIsAFatalFault) {
  run(Plain(), [] { launch_with_freed_memory(false); });
  EXPECT_EQ(ending, Ending::fatal);
  EXPECT_EQ(stage.fault(), "use_after_free");
}

TEST_F(GraphStale, AKernelNodeWhoseMemoryWasRecycledIsAFaultAtTheKernelsLine) {
  run(Always(Site::reuse, 1), [] { launch_with_freed_memory(true); });
  EXPECT_EQ(ending, Ending::finished);
  ASSERT_EQ(stage.fault(), "recycled_use");
  const Fault& fault = stage.faults.front();
  EXPECT_EQ(fault.birth_site.view(), "cuMemAllocAsync");
  EXPECT_EQ(fault.death_site.view(), "cuMemFreeAsync");
  EXPECT_EQ(fault.use_site.view(), "add_one");
  EXPECT_NE(fault.recycler, 0U);
  EXPECT_NE(fault.code, 0U);
  EXPECT_NE(fault.detail.find("copied in cuGraphAddKernelNode"), std::string::npos) << fault.detail;
}

TEST_F(GraphStale, ACopyNodeWhoseMemoryWasRecycledIsAFault) {
  run(Always(Site::reuse, 1), [] {
    CUdeviceptr target = allocate(64);
    CUdeviceptr source = allocate_async(64);
    CUgraph graph = make_graph();
    add_copy(graph, target, source);
    CUgraphExec exec = instantiate(graph);
    CUDA_OK(cuMemFreeAsync(source, nullptr));
    EXPECT_EQ(allocate_async(64), source);
    launch_and_wait(exec);
  });
  ASSERT_EQ(stage.fault(), "recycled_use");
  EXPECT_EQ(stage.faults.front().detail, "parameters copied in cuGraphAddMemcpyNode");
}

TEST_F(GraphStale, ASetNodeWhoseMemoryWasFreedIsAFatalFault) {
  run(Plain(), [] {
    CUdeviceptr address = allocate(64);
    CUgraph graph = make_graph();
    add_set(graph, address, 1);
    CUDA_OK(cuMemFree_v2(address));
    CUDA_OK(cuGraphLaunch(instantiate(graph), nullptr));
  });
  EXPECT_EQ(ending, Ending::fatal);
  EXPECT_EQ(stage.fault(), "use_after_free");
}

TEST_F(GraphStale, AKernelNodeWhoseModuleWasUnloadedIsAFatalFault) {
  run(Plain(), [] {
    CUmodule module = nullptr;
    CUfunction function = get_kernel(&afterlife_kernels_conformance, "add_one", &module);
    CUgraph graph = make_graph();
    add_kernel(graph, function, allocate(64));
    CUDA_OK(cuModuleUnload(module));
    CUDA_OK(cuGraphLaunch(instantiate(graph), nullptr));
  });
  EXPECT_EQ(ending, Ending::fatal);
  EXPECT_EQ(stage.fault(), "use_after_free");
}

// ---- reused handles ---------------------------------------------------------------------------

TEST_F(GraphStale, HandlesAreReusedByChoice) {
  run(Plain(), [] {
    CUgraph graph = make_graph();
    CUDA_OK(cuGraphDestroy(graph));
    EXPECT_NE(make_graph(), graph);
  });
  expect_finished();
  run(Always(Site::reuse, 1), [] {
    CUgraph graph = make_graph();
    CUgraphNode node = add_empty(graph);
    CUgraphExec exec = instantiate(graph);
    CUDA_OK(cuGraphExecDestroy(exec));
    CUDA_OK(cuGraphDestroyNode(node));
    EXPECT_EQ(add_empty(graph), node);
    EXPECT_EQ(instantiate(graph), exec);
    CUDA_OK(cuGraphDestroy(graph));
    EXPECT_EQ(make_graph(), graph);
    CUgraphNodeType type{};
    EXPECT_EQ(cuGraphNodeGetType(node, &type), CUDA_ERROR_INVALID_VALUE);
  });
  EXPECT_EQ(stage.fault(), "use_after_free");
}

TEST_F(GraphStale, AReusedHandleNamesTheNewNode) {
  run(Always(Site::reuse, 1), [] {
    CUgraph graph = make_graph();
    CUgraphNode stale = add_empty(graph);
    CUgraphExec exec = instantiate(graph);
    CUDA_OK(cuGraphDestroyNode(stale));
    CUgraph other = make_graph();
    EXPECT_EQ(add_empty(other), stale);
    CUDA_OK(cuGraphDestroyNode(stale));
    EXPECT_EQ(node_count(other), 0U) << "the wrong one is gone, and no one noticed";
    CUDA_OK(cuGraphExecDestroy(exec));
  });
  expect_finished();
}

// ---- two threads ------------------------------------------------------------------------------

/// Lets code that is announced next go first, at each turn.
class Alternate final : public Strategy {
 public:
  std::uint32_t answer(const Question& question) override {
    return question.site == Site::schedule ? 1 : 0;
  }
};

TEST_F(GraphStale, ConcurrentUseOfAGraphIsAFault) {
  Alternate alternate;
  World& world = stage.world;
  ending = stage.run(alternate, [&world] {
    CUgraph graph = make_graph();
    Latch both(world.scheduler, 2);
    for (int i = 0; i < 2; ++i)
      world.scheduler.spawn("adder", [graph, &both] {
        CUgraphNode node = nullptr;
        for (int k = 0; k < 3; ++k) cuGraphAddEmptyNode(&node, graph, nullptr, 0);
        both.count_down();
      });
    both.wait();
  });
  EXPECT_EQ(ending, Ending::finished);
  ASSERT_FALSE(stage.faults.empty());
  EXPECT_EQ(to_label(stage.faults.front().kind).view(), "api_misuse");
  EXPECT_EQ(stage.faults.front().detail, "used by two threads at once");
}

TEST_F(GraphStale, OrderedUseOfAGraphByTwoThreadsIsNotAFault) {
  Alternate alternate;
  World& world = stage.world;
  ending = stage.run(alternate, [&world] {
    CUgraph graph = make_graph();
    Mutex mutex(world.scheduler, "graph lock");
    Latch both(world.scheduler, 2);
    for (int i = 0; i < 2; ++i)
      world.scheduler.spawn("adder", [graph, &both, &mutex] {
        for (int k = 0; k < 3; ++k) {
          const LockGuard lock(mutex);
          add_empty(graph);
        }
        both.count_down();
      });
    both.wait();
    EXPECT_EQ(node_count(graph), 6U);
  });
  expect_finished();
}

}  // namespace
}  // namespace harness::testing
