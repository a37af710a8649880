// SPDX-License-Identifier: Apache-2.0
// The conformance suite of devices/: nodes that allocate and free.
#include <array>

#include "harness/devices/tests/graphs/graph_memory_stage.h"

namespace harness::testing {
namespace {

class CudaGraphMemory : public OnEveryDevice {
 protected:
  CUfunction add_one() const { return get_kernel(image(), "add_one"); }
};

std::size_t attribute(CUgraphMem_attribute which) {
  cuuint64_t value = 0;
  EXPECT_EQ(cuDeviceGetGraphMemAttribute(0, which, &value), CUDA_SUCCESS);
  return value;
}

/// Storage comes in units of this.
constexpr std::size_t kUnit = 32 << 20;

// ---- valid uses -------------------------------------------------------------------------------

TEST_P(CudaGraphMemory, MemoryLivesFromItsAllocNodeToItsFreeNode) {
  run([this] {
    CUdeviceptr out = allocate(64);
    CUdeviceptr inner = 0;
    CUgraph graph = make_graph();
    CUgraphNode alloc = add_alloc(graph, inner);
    CUgraphNode set = add_set(graph, inner, 4, {alloc});
    CUgraphNode kernel = add_kernel(graph, add_one(), inner, {set});
    CUgraphNode copy = add_copy(graph, out, inner, {kernel});
    CUgraphNode free = add_free(graph, inner, {copy});
    CUgraphExec exec = instantiate(graph);
    launch_and_wait(exec);
    launch_and_wait(exec);
    EXPECT_EQ(read_int(out), 5);
    CUdeviceptr freed = 0;
    CUDA_OK(cuGraphMemFreeNodeGetParams(free, &freed));
    EXPECT_EQ(freed, inner);
    CUDA_MEM_ALLOC_NODE_PARAMS found{};
    CUDA_OK(cuGraphMemAllocNodeGetParams(alloc, &found));
    EXPECT_EQ(found.dptr, inner);
    EXPECT_EQ(found.bytesize, 64U);
    EXPECT_EQ(cuGraphMemAllocNodeGetParams(free, &found), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphMemFreeNodeGetParams(alloc, &freed), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

/// A node that allocates 64 bytes of managed memory.
CUgraphNode add_managed(CUgraph graph, CUdeviceptr& address, CUmemLocation location) {
  CUDA_MEM_ALLOC_NODE_PARAMS params = alloc_params(64);
  params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_MANAGED;
  params.poolProps.location = location;
  CUgraphNode node = nullptr;
  EXPECT_EQ(cuGraphAddMemAllocNode(&node, graph, nullptr, 0, &params), CUDA_SUCCESS);
  address = params.dptr;
  return node;
}

TEST_P(CudaGraphMemory, TheHostMayUseManagedMemory) {
  if (GetParam() == Backend::gpu) GTEST_SKIP() << "driver 580 makes the node for the device";
  run([this] {
    for (const CUmemLocation location :
         {CUmemLocation{.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0},
          CUmemLocation{.type = CU_MEM_LOCATION_TYPE_NONE, .id = 0}}) {
      CUdeviceptr address = 0;
      CUgraph graph = make_graph();
      CUgraphNode node = add_managed(graph, address, location);
      add_set(graph, address, 7, {node});
      launch_and_wait(instantiate(graph));
      int* const host = reinterpret_cast<int*>(address);
      int count = 1;
      EXPECT_EQ(*host, 7);
      *host = 8;
      CUDA_OK(launch(add_one(), 1, 1, nullptr, {&address, &count}));
      CUDA_OK(cuStreamSynchronize(nullptr));
      EXPECT_EQ(*host, 9);
      CUDA_OK(cuMemFreeAsync(address, nullptr));
      CUDA_OK(cuStreamSynchronize(nullptr));
    }
  });
  expect_no_fault();
}

TEST_P(CudaGraphMemory, APointerStoredByTheHostInManagedMemoryIsFollowed) {
  if (GetParam() == Backend::gpu) GTEST_SKIP() << "driver 580 makes the node for the device";
  run([this] {
    CUdeviceptr table = 0;
    CUdeviceptr data = allocate(64);
    CUdeviceptr out = allocate(64);
    CUgraph graph = make_graph();
    add_managed(graph, table, {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0});
    launch_and_wait(instantiate(graph));
    *reinterpret_cast<CUdeviceptr*>(table) = data;
    CUDA_OK(cuMemsetD32_v2(data, 5, 1));
    CUDA_OK(launch(get_kernel(image(), "copy_indirect"), 1, 1, nullptr, {&table, &out}));
    CUDA_OK(cuStreamSynchronize(nullptr));
    EXPECT_EQ(read_int(out), 5);
    CUDA_OK(cuMemFreeAsync(table, nullptr));
    CUDA_OK(cuStreamSynchronize(nullptr));
  });
  expect_no_fault();
}

TEST_P(CudaGraphMemory, AnEmptyAllocationIsCapturedButIsNoValidNode) {
  run([] {
    CUstream stream = make_stream();
    CUdeviceptr address = 0;
    CUgraph captured = nullptr;
    CUDA_OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    CUDA_OK(cuMemAllocAsync(&address, 0, stream));
    CUDA_OK(cuMemFreeAsync(address, stream));
    CUDA_OK(cuStreamEndCapture(stream, &captured));
    launch_and_wait(instantiate(captured));
    CUDA_MEM_ALLOC_NODE_PARAMS params = alloc_params(0);
    CUgraphNode node = nullptr;
    EXPECT_EQ(cuGraphAddMemAllocNode(&node, make_graph(), nullptr, 0, &params),
              CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaGraphMemory, MemoryThatAGraphDoesNotFreeIsFreedInAStream) {
  run([] {
    auto [graph, address, alloc] = make_allocating();
    add_set(graph, address, 7, {alloc});
    CUgraphExec exec = instantiate(graph);
    for (int i = 0; i < 2; ++i) {
      CUDA_OK(cuGraphLaunch(exec, nullptr));
      EXPECT_EQ(read_int(address), 7);
      CUDA_OK(cuMemFreeAsync(address, nullptr));
    }
    CUDA_OK(cuStreamSynchronize(nullptr));
  });
  expect_no_fault();
}

TEST_P(CudaGraphMemory, AnInstantiatedGraphCannotGainAFreeNode) {
  run([] {
    auto [graph, address, alloc] = make_allocating();
    CUDA_OK(cuGraphExecDestroy(instantiate(graph)));
    CUgraphNode node = nullptr;
    EXPECT_EQ(cuGraphAddMemFreeNode(&node, graph, &alloc, 1, address), CUDA_ERROR_INVALID_VALUE);
    CUgraph other = make_graph();
    add_free(other, address);
  });
  expect_no_fault();
}

TEST_P(CudaGraphMemory, AnotherGraphMayFreeTheMemory) {
  run([] {
    auto [graph, address, alloc] = make_allocating();
    CUgraph other = make_graph();
    add_free(other, address);
    CUgraphNode node = nullptr;
    EXPECT_EQ(cuGraphAddMemFreeNode(&node, graph, nullptr, 0, address), CUDA_ERROR_INVALID_VALUE)
        << "not both";
    CUgraphExec exec = instantiate(graph);
    CUgraphExec freeing = instantiate(other);
    for (int i = 0; i < 2; ++i) {
      CUDA_OK(cuGraphLaunch(exec, nullptr));
      CUDA_OK(cuGraphLaunch(freeing, nullptr));
    }
    CUDA_OK(cuStreamSynchronize(nullptr));
  });
  expect_no_fault();
}

TEST_P(CudaGraphMemory, AutoFreeFreesTheMemoryOfThePreviousLaunch) {
  run([] {
    auto [graph, address, alloc] = make_allocating();
    CUgraphExec exec = instantiate(graph, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
    launch_and_wait(exec);
    launch_and_wait(exec);
    CUDA_OK(cuMemFreeAsync(address, nullptr));
  });
  expect_no_fault();
}

TEST_P(CudaGraphMemory, UsageIsCountedInUnitsUntilTrimmed) {
  // A process that has had graphs before gives some of their storage, which may be more.
  const auto expect_unit = [](cuuint64_t used) {
    EXPECT_GE(used, kUnit);
    EXPECT_EQ(used % kUnit, 0U);
    if (GetParam() == Backend::sim) EXPECT_EQ(used, kUnit);
  };
  run([&] {
    CUDA_OK(cuDeviceGraphMemTrim(0));
    const cuuint64_t others = attribute(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT);
    auto [graph, address, alloc] = make_allocating();
    add_free(graph, address, {alloc});
    launch_and_wait(instantiate(graph));
    const cuuint64_t used = attribute(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT);
    expect_unit(used);
    expect_unit(attribute(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT) - others);
    cuuint64_t zero = 0;
    CUDA_OK(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &zero));
    EXPECT_EQ(attribute(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH), used) << "as much as is used now";
    CUDA_OK(cuDeviceGraphMemTrim(0));
    EXPECT_EQ(attribute(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT), others);
    CUDA_OK(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, &zero));
    cuuint64_t one = 1;
    EXPECT_EQ(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &one),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &zero),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuDeviceSetGraphMemAttribute(99, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &zero),
              CUDA_ERROR_INVALID_DEVICE);
    EXPECT_EQ(cuDeviceGetGraphMemAttribute(99, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &zero),
              CUDA_ERROR_INVALID_DEVICE);
    EXPECT_EQ(cuDeviceGetGraphMemAttribute(0, static_cast<CUgraphMem_attribute>(99), &zero),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuDeviceGraphMemTrim(99), CUDA_ERROR_INVALID_DEVICE);
  });
}

// ---- invalid uses -----------------------------------------------------------------------------

TEST_P(CudaGraphMemory, AnAllocationNodeNeedsDeviceMemoryAndASize) {
  run([] {
    CUgraph graph = make_graph();
    CUgraphNode node = nullptr;
    CUDA_MEM_ALLOC_NODE_PARAMS params = alloc_params(0);
    EXPECT_EQ(cuGraphAddMemAllocNode(&node, graph, nullptr, 0, &params), CUDA_ERROR_INVALID_VALUE);
    params = alloc_params(64);
    params.poolProps.location.id = 99;
    EXPECT_EQ(cuGraphAddMemAllocNode(&node, graph, nullptr, 0, &params), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaGraphMemory, AnAllocationNodeNeedsParameters) {
  if (GetParam() == Backend::gpu) GTEST_SKIP() << "a driver need not survive what is undefined";
  run([] {
    CUgraph graph = make_graph();
    CUgraphNode node = nullptr;
    EXPECT_EQ(cuGraphAddMemAllocNode(&node, graph, nullptr, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
    CUDA_MEM_ALLOC_NODE_PARAMS params = alloc_params(64);
    params.accessDescCount = 1;
    EXPECT_EQ(cuGraphAddMemAllocNode(&node, graph, nullptr, 0, &params), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaGraphMemory, AFreeNodeTakesMemoryOfAnAllocNodeOnly) {
  run([] {
    CUgraph graph = make_graph();
    CUgraphNode node = nullptr;
    EXPECT_EQ(cuGraphAddMemFreeNode(&node, graph, nullptr, 0, allocate(64)),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphAddMemFreeNode(&node, graph, nullptr, 0, 12345), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaGraphMemory, ASecondFreeInTheSameGraphIsRefused) {
  run([] {
    auto [graph, address, alloc] = make_allocating();
    CUgraphNode free = add_free(graph, address, {alloc});
    CUgraphNode again = nullptr;
    EXPECT_EQ(cuGraphAddMemFreeNode(&again, graph, &free, 1, address), CUDA_ERROR_INVALID_VALUE);
    CUgraph other = make_graph();
    EXPECT_EQ(cuGraphAddMemFreeNode(&again, other, nullptr, 0, address), CUDA_ERROR_INVALID_VALUE);
  });
  if (GetParam() == Backend::sim) expect_fault("api_misuse");
}

TEST_P(CudaGraphMemory, ASecondLaunchNeedsTheFirstOnesMemoryFreed) {
  run([] {
    auto [graph, address, alloc] = make_allocating();
    CUgraphExec exec = instantiate(graph);
    launch_and_wait(exec);
    EXPECT_EQ(cuGraphLaunch(exec, nullptr), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuMemFreeAsync(address, nullptr));
  });
  if (GetParam() == Backend::sim) expect_fault("api_misuse");
}

TEST_P(CudaGraphMemory, GraphsWithMemoryNodesAreNotClonedOrChanged) {
  run([] {
    auto [graph, address, alloc] = make_allocating();
    CUgraphNode free = add_free(graph, address, {alloc});
    CUgraph clone = nullptr;
    EXPECT_EQ(cuGraphClone(&clone, graph), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(cuGraphRemoveDependencies_v2(graph, &alloc, &free, nullptr, 1),
              CUDA_ERROR_NOT_SUPPORTED);
    CUgraph outer = make_graph();
    CUgraphNode child = nullptr;
    EXPECT_EQ(cuGraphAddChildGraphNode(&child, outer, nullptr, 0, graph), CUDA_ERROR_NOT_SUPPORTED);
    CUgraphExec exec = instantiate(graph);
    CUgraphExec second = nullptr;
    EXPECT_NE(cuGraphInstantiateWithFlags(&second, graph, 0), CUDA_SUCCESS) << "one at a time";
    CUDA_OK(cuGraphExecDestroy(exec));
    exec = instantiate(graph);
    CUgraphNodeParams params{};
    params.type = CU_GRAPH_NODE_TYPE_MEM_FREE;
    params.free.dptr = address;
    EXPECT_EQ(cuGraphNodeSetParams(free, &params), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(cuGraphExecNodeSetParams(exec, free, &params), CUDA_ERROR_NOT_SUPPORTED);
  });
  expect_no_fault();
}

TEST_P(CudaGraphMemory, NodesOfAGraphWithMemoryNodesAreNotDestroyed) {
  if (GetParam() != Backend::sim) GTEST_SKIP() << "the watcher has counted it dead by then";
  run([] {
    auto [graph, address, alloc] = make_allocating();
    EXPECT_EQ(cuGraphDestroyNode(alloc), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(node_count(graph), 1U);
  });
  expect_no_fault();
}

TEST_P(CudaGraphMemory, AMovedChildGraphKeepsItsMemory) {
  run([] {
    auto [inner, address, alloc] = make_allocating();
    CUgraphNode set = add_set(inner, address, 3, {alloc});
    add_free(inner, address, {set});
    CUgraph outer = make_graph();
    CUgraphNodeParams params{};
    params.type = CU_GRAPH_NODE_TYPE_GRAPH;
    params.graph.graph = inner;
    params.graph.ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
    CUgraphNode child = nullptr;
    CUDA_OK(cuGraphAddNode_v2(&child, outer, nullptr, nullptr, 0, &params));
    CUgraph body = nullptr;
    CUDA_OK(cuGraphChildGraphNodeGetGraph(child, &body));
    EXPECT_EQ(body, inner);
    CUgraphExec exec = instantiate(outer);
    launch_and_wait(exec);
    launch_and_wait(exec);
    CUgraphExec inner_exec = nullptr;
    EXPECT_NE(cuGraphInstantiateWithFlags(&inner_exec, inner, 0), CUDA_SUCCESS);
    CUgraphNode node = nullptr;
    EXPECT_NE(cuGraphAddChildGraphNode(&node, make_graph(), nullptr, 0, inner), CUDA_SUCCESS);
    CUDA_MEM_ALLOC_NODE_PARAMS more = alloc_params(64);
    EXPECT_NE(cuGraphAddMemAllocNode(&node, inner, nullptr, 0, &more), CUDA_SUCCESS);
    CUgraphExecUpdateResultInfo info{};
    EXPECT_NE(cuGraphExecUpdate_v2(exec, inner, &info), CUDA_SUCCESS);
  });
  expect_no_fault();
}

INSTANTIATE_ON_EVERY_DEVICE(CudaGraphMemory);

}  // namespace
}  // namespace harness::testing
