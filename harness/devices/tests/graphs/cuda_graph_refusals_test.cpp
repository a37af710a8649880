// SPDX-License-Identifier: Apache-2.0
// Calls that graphs and their executables refuse, by rules of the simulated driver for which no
// other test failed when a mutant broke them.
#include "harness/devices/tests/graphs/graph_memory_stage.h"

namespace harness::testing {
namespace {

constexpr CUresult kInvalid = CUDA_ERROR_INVALID_VALUE;

class GraphRefusals : public OnSim {
 protected:
  template <class Body>
  void run(Body body) {
    EXPECT_EQ(stage.run(body), Ending::finished) << stage.fault();
  }
  void expect_no_fault() const { EXPECT_TRUE(stage.faults.empty()) << stage.fault(); }
  static CUfunction add_one() { return get_kernel(&afterlife_kernels_conformance, "add_one"); }
};

// ---- nodes and edges --------------------------------------------------------------------------

TEST_F(GraphRefusals, ANodeOfAChildGraphIsFoundInAClone) {
  run([] {
    CUgraph inner = make_graph();
    add_empty(inner);
    CUgraph graph = make_graph();
    CUgraph body = nullptr;
    CUDA_OK(cuGraphChildGraphNodeGetGraph(add_child(graph, inner), &body));
    CUgraph clone = nullptr;
    CUDA_OK(cuGraphClone(&clone, graph));
    CUgraphNode found = nullptr;
    CUDA_OK(cuGraphNodeFindInClone(&found, nodes_of(body).at(0), clone));
    EXPECT_NE(found, nodes_of(body).at(0));
  });
  expect_no_fault();
}

TEST_F(GraphRefusals, AMovedReferenceIsNotReleasedByTheCaller) {
  run([] {
    static int calls = 0;
    CUuserObject object = nullptr;
    CUDA_OK(cuUserObjectCreate(&object, &calls, count_up, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    CUDA_OK(cuGraphRetainUserObject(make_graph(), object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    EXPECT_EQ(cuUserObjectRelease(object, 1), kInvalid);
  });
  EXPECT_EQ(stage.fault(), "api_misuse");
}

TEST_F(GraphRefusals, SelfEdgesAndReservedBitsOfEdgesAreRefused) {
  run([] {
    CUgraph graph = make_graph();
    CUgraphNode first = add_empty(graph);
    CUgraphNode second = add_empty(graph);
    EXPECT_EQ(cuGraphAddDependencies_v2(graph, &first, &first, nullptr, 1), kInvalid);
    CUgraphEdgeData data{};
    data.reserved[0] = 1;
    EXPECT_EQ(cuGraphAddDependencies_v2(graph, &first, &second, &data, 1), kInvalid);
    EXPECT_EQ(edge_count(graph), 0u);
  });
  expect_no_fault();
}

TEST_F(GraphRefusals, EdgesAreRemovedAllOrNone) {
  run([] {
    CUgraph graph = make_graph();
    CUgraphNode first = add_empty(graph);
    CUgraphNode second = add_empty(graph, {first});
    CUgraphNode third = add_empty(graph);
    const Nodes from{first, first};
    const Nodes to{second, third};
    EXPECT_EQ(cuGraphRemoveDependencies_v2(graph, from.data(), to.data(), nullptr, 2), kInvalid);
    EXPECT_EQ(edge_count(graph), 1u);
    CUgraphNode node = nullptr;
    std::size_t count = 1;
    EXPECT_EQ(cuGraphGetEdges_v2(graph, &node, nullptr, nullptr, &count), kInvalid);
  });
  expect_no_fault();
}

TEST_F(GraphRefusals, AnInstantiatedGraphIsNotMoved) {
  run([] {
    CUgraph inner = make_graph();
    add_empty(inner);
    instantiate(inner);
    CUgraphNodeParams params{};
    params.type = CU_GRAPH_NODE_TYPE_GRAPH;
    params.graph.graph = inner;
    params.graph.ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
    CUgraphNode node = nullptr;
    EXPECT_EQ(cuGraphAddNode_v2(&node, make_graph(), nullptr, nullptr, 0, &params), kInvalid);
  });
  expect_no_fault();
}

TEST_F(GraphRefusals, ASetNeedsAValidElementSizeAndRows) {
  run([] {
    CUgraph graph = make_graph();
    CUgraphNode node = nullptr;
    const CUdeviceptr address = allocate(1024);
    CUDA_MEMSET_NODE_PARAMS params = set_params((address + 2) / 3 * 3, 1);
    params.elementSize = 3;
    EXPECT_EQ(cuGraphAddMemsetNode(&node, graph, nullptr, 0, &params, current_context()), kInvalid);
    params = set_params(address, 1, 2);
    params.height = 2;
    params.pitch = 4;
    EXPECT_EQ(cuGraphAddMemsetNode(&node, graph, nullptr, 0, &params, current_context()), kInvalid);
  });
  expect_no_fault();
}

TEST_F(GraphRefusals, AutoFreeAndDeviceLaunchExcludeEachOther) {
  run([] {
    CUgraph graph = make_graph();
    add_kernel(graph, add_one(), allocate(64));
    CUgraphExec exec = nullptr;
    EXPECT_EQ(cuGraphInstantiateWithFlags(&exec, graph,
                                          CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH |
                                              CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH),
              kInvalid);
  });
  expect_no_fault();
}

// ---- updates ----------------------------------------------------------------------------------

/// Expects that a graph cannot update the executable, with this result.
void expect_misfit(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResult why) {
  CUgraphExecUpdateResultInfo info{};
  EXPECT_EQ(cuGraphExecUpdate_v2(exec, graph, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, why);
}

TEST_F(GraphRefusals, AnUpdateNeedsAllNodesAndDependencies) {
  run([] {
    CUgraph two = make_graph();
    add_empty(two);
    add_empty(two);
    CUgraph one = make_graph();
    add_empty(one);
    constexpr auto kTopology = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    expect_misfit(instantiate(two), one, kTopology);
    CUgraph more = make_graph();
    CUgraph less = make_graph();
    for (CUgraph graph : {more, less}) {
      CUgraphNode first = add_empty(graph);
      CUgraphNode second = add_empty(graph);
      add_empty(graph, graph == more ? Nodes{first, second} : Nodes{first});
      add_empty(graph, {second});
    }
    expect_misfit(instantiate(more), less, kTopology);
  });
  expect_no_fault();
}

TEST_F(GraphRefusals, AnUpdateNeedsTheSameMemory) {
  run([] {
    Allocating first = make_allocating();
    Allocating second = make_allocating();
    add_free(first.graph, first.address, {first.node});
    add_free(second.graph, second.address, {second.node});
    expect_misfit(instantiate(first.graph), second.graph, CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED);
  });
  expect_no_fault();
}

TEST_F(GraphRefusals, AnUpdateNeedsMatchingBodies) {
  run([] {
    CUgraph small = make_graph();
    add_empty(small);
    CUgraph graph = make_graph();
    add_child(graph, small);
    CUgraphExec exec = instantiate(graph);
    add_empty(small);
    CUgraph other = make_graph();
    add_child(other, small);
    expect_misfit(exec, other, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  });
  expect_no_fault();
}

TEST_F(GraphRefusals, AnUpdateWithACycleIsRefused) {
  run([] {
    CUgraph graph = make_graph();
    CUgraphNode first = add_empty(graph);
    CUgraphNode second = add_empty(graph, {first});
    CUgraphExec exec = instantiate(graph);
    CUDA_OK(cuGraphAddDependencies_v2(graph, &second, &first, nullptr, 1));
    expect_misfit(exec, graph, CU_GRAPH_EXEC_UPDATE_ERROR);
  });
  expect_no_fault();
}

// ---- nodes of executables ---------------------------------------------------------------------

CUdeviceptr pin(std::size_t bytes) {
  void* pinned = nullptr;
  EXPECT_EQ(cuMemAllocHost_v2(&pinned, bytes), CUDA_SUCCESS);
  return reinterpret_cast<CUdeviceptr>(pinned);
}

TEST_F(GraphRefusals, CopiesAndSetsKeepTheirMemoryType) {
  run([] {
    const CUdeviceptr address = allocate(64);
    const CUdeviceptr pinned = pin(64);
    CUgraph graph = make_graph();
    CUgraphNode copy = add_copy(graph, address + 32, address);
    CUgraphNode set = add_set(graph, address, 1);
    CUgraphExec exec = instantiate(graph);
    const CUDA_MEMCPY3D other_copy = copy_params(address + 32, pinned, sizeof(int));
    EXPECT_EQ(cuGraphExecMemcpyNodeSetParams(exec, copy, &other_copy, current_context()), kInvalid);
    const CUDA_MEMSET_NODE_PARAMS other_set = set_params(pinned, 1);
    EXPECT_EQ(cuGraphExecMemsetNodeSetParams(exec, set, &other_set, current_context()), kInvalid);
  });
  expect_no_fault();
}

TEST_F(GraphRefusals, ASetKeepsItsRowSize) {
  run([] {
    CUDA_MEMSET_NODE_PARAMS params = set_params(allocate(64), 1, 4);
    params.height = 2;
    params.pitch = 32;
    CUgraph graph = make_graph();
    CUgraphNode node = nullptr;
    CUDA_OK(cuGraphAddMemsetNode(&node, graph, nullptr, 0, &params, current_context()));
    CUgraphExec exec = instantiate(graph);
    params.width = 2;
    EXPECT_EQ(cuGraphExecMemsetNodeSetParams(exec, node, &params, current_context()), kInvalid);
  });
  expect_no_fault();
}

TEST_F(GraphRefusals, MemoryOperationsKeepTheirType) {
  run([] {
    CUstreamBatchMemOpParams operation{};
    operation.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    operation.writeValue.address = allocate(64);
    CUDA_BATCH_MEM_OP_NODE_PARAMS params{current_context(), 1, &operation, 0};
    CUgraph graph = make_graph();
    CUgraphNode node = nullptr;
    CUDA_OK(cuGraphAddBatchMemOpNode(&node, graph, nullptr, 0, &params));
    CUgraphExec exec = instantiate(graph);
    operation.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    EXPECT_EQ(cuGraphExecBatchMemOpNodeSetParams(exec, node, &params), kInvalid);
  });
  expect_no_fault();
}

}  // namespace
}  // namespace harness::testing
