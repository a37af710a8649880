// SPDX-License-Identifier: Apache-2.0
// The conformance suite of devices/: graphs and their nodes.
#include <array>

#include "harness/devices/tests/graphs/graph_stage.h"

namespace harness::testing {
namespace {

class CudaGraph : public OnEveryDevice {
 protected:
  CUfunction add_one() const { return get_kernel(image(), "add_one"); }
};

// ---- graphs -----------------------------------------------------------------------------------

TEST_P(CudaGraph, FlagsOfCreateMustBeZero) {
  run([] {
    CUgraph graph = nullptr;
    EXPECT_EQ(cuGraphCreate(&graph, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphCreate(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuGraphCreate(&graph, 0));
    CUDA_OK(cuGraphDestroy(graph));
  });
  expect_no_fault();
}

TEST_P(CudaGraph, AGraphDestroyedTwiceIsAFault) {
  run([] {
    CUgraph graph = make_graph();
    CUDA_OK(cuGraphDestroy(graph));
    EXPECT_EQ(cuGraphDestroy(graph), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("double_free");
}

TEST_P(CudaGraph, AGraphUsedAfterItsEndIsAFault) {
  run([] {
    CUgraph graph = make_graph();
    CUDA_OK(cuGraphDestroy(graph));
    CUgraphNode node = nullptr;
    EXPECT_EQ(cuGraphAddEmptyNode(&node, graph, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaGraph, ANodeEndsWithItsGraph) {
  run([] {
    CUgraph graph = make_graph();
    CUgraphNode node = add_empty(graph);
    CUDA_OK(cuGraphDestroy(graph));
    CUgraphNodeType type{};
    EXPECT_EQ(cuGraphNodeGetType(node, &type), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("use_after_free");
}

TEST_P(CudaGraph, ANodeDestroyedTwiceIsAFault) {
  run([] {
    CUgraphNode node = add_empty(make_graph());
    CUDA_OK(cuGraphDestroyNode(node));
    EXPECT_EQ(cuGraphDestroyNode(node), CUDA_ERROR_INVALID_VALUE);
  });
  expect_fault("double_free");
}

// ---- nodes and edges --------------------------------------------------------------------------

TEST_P(CudaGraph, NodesAndRootsAreListed) {
  run([] {
    CUgraph graph = make_graph();
    CUgraphNode first = add_empty(graph);
    CUgraphNode second = add_empty(graph, {first});
    std::array<CUgraphNode, 3> nodes{};
    std::size_t count = nodes.size();
    CUDA_OK(cuGraphGetNodes(graph, nodes.data(), &count));
    EXPECT_EQ(count, 2U);
    EXPECT_EQ(nodes[2], nullptr);
    count = nodes.size();
    CUDA_OK(cuGraphGetRootNodes(graph, nodes.data(), &count));
    EXPECT_EQ(count, 1U);
    EXPECT_EQ(nodes[0], first);
    count = nodes.size();
    CUDA_OK(cuGraphNodeGetDependencies_v2(second, nodes.data(), nullptr, &count));
    EXPECT_EQ(count, 1U);
    EXPECT_EQ(nodes[0], first);
    count = nodes.size();
    CUDA_OK(cuGraphNodeGetDependentNodes_v2(first, nodes.data(), nullptr, &count));
    EXPECT_EQ(count, 1U);
    EXPECT_EQ(nodes[0], second);
    CUgraphEdgeData data{};
    count = 1;
    EXPECT_EQ(cuGraphGetEdges_v2(graph, nullptr, nullptr, &data, &count), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphNodeGetDependencies_v2(second, nullptr, &data, &count),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphNodeGetDependentNodes_v2(first, nullptr, &data, &count),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphGetNodes(graph, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphGetRootNodes(graph, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphNodeGetDependencies_v2(first, nullptr, nullptr, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphNodeGetDependentNodes_v2(first, nullptr, nullptr, nullptr),
              CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaGraph, DependenciesAreAddedAndRemoved) {
  run([] {
    CUgraph graph = make_graph();
    CUgraphNode first = add_empty(graph);
    CUgraphNode second = add_empty(graph);
    CUgraphNode elsewhere = add_empty(make_graph());
    CUDA_OK(cuGraphAddDependencies_v2(graph, &first, &second, nullptr, 1));
    CUgraphNode from = nullptr;
    CUgraphNode to = nullptr;
    std::size_t count = 1;
    CUDA_OK(cuGraphGetEdges_v2(graph, &from, &to, nullptr, &count));
    EXPECT_EQ(count, 1U);
    EXPECT_EQ(from, first);
    EXPECT_EQ(to, second);
    EXPECT_EQ(cuGraphAddDependencies_v2(graph, &first, &second, nullptr, 1),
              CUDA_ERROR_INVALID_VALUE)
        << "it exists";
    EXPECT_EQ(cuGraphAddDependencies_v2(graph, &first, &elsewhere, nullptr, 1),
              CUDA_ERROR_INVALID_VALUE)
        << "a node of another graph";
    EXPECT_EQ(cuGraphAddDependencies_v2(graph, nullptr, nullptr, nullptr, 0), CUDA_SUCCESS);
    CUDA_OK(cuGraphRemoveDependencies_v2(graph, &first, &second, nullptr, 1));
    EXPECT_EQ(cuGraphRemoveDependencies_v2(graph, &first, &second, nullptr, 1),
              CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuGraphGetEdges_v2(graph, nullptr, nullptr, nullptr, &count));
    EXPECT_EQ(count, 0U);
  });
  expect_no_fault();
}

TEST_P(CudaGraph, DependenciesOfANewNodeAreDistinctAndOfItsGraph) {
  run([] {
    CUgraph graph = make_graph();
    CUgraphNode first = add_empty(graph);
    CUgraphNode elsewhere = add_empty(make_graph());
    const CUgraphNode twice[] = {first, first};
    CUgraphNode node = nullptr;
    EXPECT_EQ(cuGraphAddEmptyNode(&node, graph, twice, 2), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphAddEmptyNode(&node, graph, &elsewhere, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphAddEmptyNode(&node, graph, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(node_count(graph), 1U);
  });
  expect_no_fault();
}

TEST_P(CudaGraph, EdgeDataIsNotLostSilently) {
  run([this] {
    CUgraph graph = make_graph();
    CUdeviceptr address = allocate(64);
    CUfunction function = add_one();
    CUgraphNode first = add_kernel(graph, function, address);
    CUgraphNode second = add_kernel(graph, function, address);
    CUgraphEdgeData data{};
    data.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
    data.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    CUDA_OK(cuGraphAddDependencies_v2(graph, &first, &second, &data, 1));
    CUgraphNode from = nullptr;
    CUgraphNode to = nullptr;
    std::size_t count = 1;
    EXPECT_EQ(cuGraphGetEdges_v2(graph, &from, &to, nullptr, &count), CUDA_ERROR_LOSSY_QUERY);
    EXPECT_EQ(cuGraphNodeGetDependencies_v2(second, &from, nullptr, &count),
              CUDA_ERROR_LOSSY_QUERY);
    EXPECT_EQ(cuGraphNodeGetDependentNodes_v2(first, &to, nullptr, &count), CUDA_ERROR_LOSSY_QUERY);
    CUgraphEdgeData found{};
    CUDA_OK(cuGraphGetEdges_v2(graph, &from, &to, &found, &count));
    EXPECT_EQ(found.from_port, data.from_port);
    EXPECT_EQ(found.type, data.type);
    data.from_port = CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER;
    // By cuda.h that means an edge with other data, or with none: a driver takes it for any.
    for (const CUgraphEdgeData* other : {&data, static_cast<CUgraphEdgeData*>(nullptr)}) {
      CUDA_OK(cuGraphRemoveDependencies_v2(graph, &first, &second, other, 1));
      EXPECT_EQ(edge_count(graph), 0U);
      CUDA_OK(cuGraphAddDependencies_v2(graph, &first, &second, &found, 1));
    }
  });
  expect_no_fault();
}

TEST_P(CudaGraph, EdgeDataMustFitTheNodes) {
  run([this] {
    CUgraph graph = make_graph();
    CUdeviceptr address = allocate(64);
    CUgraphNode first = add_kernel(graph, add_one(), address);
    CUgraphNode second = add_kernel(graph, add_one(), address);
    CUgraphNode set = add_set(graph, address, 1);
    const auto add = [&](CUgraphNode from, CUgraphNode to, unsigned char port, unsigned char type,
                         unsigned char to_port = 0) {
      CUgraphEdgeData data{};
      data.from_port = port;
      data.to_port = to_port;
      data.type = type;
      return cuGraphAddDependencies_v2(graph, &from, &to, &data, 1);
    };
    constexpr unsigned char kProgrammatic = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    constexpr unsigned char kPort = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
    constexpr unsigned char kBegun = CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER;
    EXPECT_EQ(add(first, second, 0, 0, 1), CUDA_ERROR_INVALID_VALUE) << "no such port";
    EXPECT_EQ(add(first, second, 3, 0), CUDA_ERROR_INVALID_VALUE) << "no such port";
    EXPECT_EQ(add(first, second, 0, kProgrammatic), CUDA_ERROR_INVALID_VALUE) << "of which port";
    EXPECT_EQ(add(first, second, kPort, 0), CUDA_ERROR_INVALID_VALUE) << "of no such type";
    EXPECT_EQ(add(first, second, 0, 9), CUDA_ERROR_INVALID_VALUE) << "no such type";
    EXPECT_EQ(add(set, second, kBegun, 0), CUDA_ERROR_INVALID_VALUE) << "from no kernel";
    EXPECT_EQ(add(first, set, kPort, kProgrammatic), CUDA_ERROR_INVALID_VALUE) << "to no kernel";
    CUDA_OK(add(first, second, kBegun, kProgrammatic));
    CUDA_OK(add(first, set, kBegun, 0));
  });
  expect_no_fault();
}

TEST_P(CudaGraph, DestroyingANodeRemovesItsEdges) {
  run([] {
    CUgraph graph = make_graph();
    CUgraphNode first = add_empty(graph);
    CUgraphNode middle = add_empty(graph, {first});
    CUgraphNode last = add_empty(graph, {middle});
    CUDA_OK(cuGraphDestroyNode(middle));
    std::size_t count = 0;
    CUDA_OK(cuGraphNodeGetDependencies_v2(last, nullptr, nullptr, &count));
    EXPECT_EQ(count, 0U);
    EXPECT_EQ(node_count(graph), 2U);
  });
  expect_no_fault();
}

// ---- clones and child graphs ------------------------------------------------------------------

TEST_P(CudaGraph, AChildGraphIsACopyThatItsNodeOwns) {
  run([this] {
    CUdeviceptr address = allocate(64);
    write_int(address, 0);
    CUgraph inner = make_graph();
    add_kernel(inner, add_one(), address);
    CUgraph outer = make_graph();
    CUgraphNode child = add_child(outer, inner, {add_child(outer, inner)});
    add_kernel(inner, add_one(), address);
    CUDA_OK(cuGraphDestroy(inner));
    CUgraph body = nullptr;
    CUDA_OK(cuGraphChildGraphNodeGetGraph(child, &body));
    EXPECT_EQ(node_count(body), 1U);
    launch_and_wait(instantiate(outer));
    EXPECT_EQ(read_int(address), 2);
    EXPECT_EQ(cuGraphAddChildGraphNode(&child, outer, nullptr, 0, nullptr),
              CUDA_ERROR_INVALID_VALUE);
  });
}

// Driver 580 ends the process where the graph is added to a part of itself.
TEST_P(CudaGraph, AGraphCannotBeItsOwnDescendant) {
  run([] {
    CUgraph middle = make_graph();
    add_child(middle, make_graph());
    CUgraph whole = make_graph();
    CUgraph part = nullptr;
    CUDA_OK(cuGraphChildGraphNodeGetGraph(add_child(whole, middle), &part));
    CUgraphNode inner = nullptr;
    std::size_t count = 1;
    CUDA_OK(cuGraphGetNodes(part, &inner, &count));
    CUgraph innermost = nullptr;
    CUDA_OK(cuGraphChildGraphNodeGetGraph(inner, &innermost));
    for (CUgraph each : {whole, part, innermost}) {
      CUgraphNode node = nullptr;
      EXPECT_EQ(cuGraphAddChildGraphNode(&node, each, nullptr, 0, whole), CUDA_ERROR_INVALID_VALUE);
      EXPECT_EQ(node_count(each), each == innermost ? 0U : 1U);
    }
    add_child(innermost, middle);
  });
}

TEST_P(CudaGraph, ACloneIsACopyWhoseNodesAreFound) {
  run([this] {
    CUdeviceptr address = allocate(64);
    write_int(address, 0);
    CUgraph graph = make_graph();
    CUgraphNode first = add_kernel(graph, add_one(), address);
    CUgraphNode second = add_kernel(graph, add_one(), address, {first});
    CUgraph clone = nullptr;
    CUDA_OK(cuGraphClone(&clone, graph));
    CUgraphNode copy = nullptr;
    CUDA_OK(cuGraphNodeFindInClone(&copy, second, clone));
    CUgraphNode before = nullptr;
    std::size_t count = 1;
    CUDA_OK(cuGraphNodeGetDependencies_v2(copy, &before, nullptr, &count));
    CUgraphNode first_copy = nullptr;
    CUDA_OK(cuGraphNodeFindInClone(&first_copy, first, clone));
    EXPECT_EQ(before, first_copy);
    CUgraphNode later = add_empty(graph);
    EXPECT_EQ(cuGraphNodeFindInClone(&copy, later, clone), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuGraphDestroyNode(first_copy));
    EXPECT_EQ(cuGraphNodeFindInClone(&copy, first, clone), CUDA_ERROR_INVALID_VALUE);
    CUDA_OK(cuGraphDestroy(graph));
    launch_and_wait(instantiate(clone));
    EXPECT_EQ(read_int(address), 1);
    EXPECT_EQ(cuGraphClone(nullptr, clone), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

TEST_P(CudaGraph, ACloneKeepsEdgeData) {
  run([this] {
    CUgraph graph = make_graph();
    CUdeviceptr address = allocate(64);
    CUgraphNode first = add_kernel(graph, add_one(), address);
    CUgraphNode second = add_kernel(graph, add_one(), address);
    CUgraphEdgeData data{};
    data.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
    data.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    CUDA_OK(cuGraphAddDependencies_v2(graph, &first, &second, &data, 1));
    CUgraph clone = nullptr;
    CUDA_OK(cuGraphClone(&clone, graph));
    CUgraphNode from = nullptr;
    CUgraphNode to = nullptr;
    CUgraphEdgeData found{};
    std::size_t count = 1;
    CUDA_OK(cuGraphGetEdges_v2(clone, &from, &to, &found, &count));
    EXPECT_EQ(found.from_port, data.from_port);
    EXPECT_EQ(found.type, data.type);
  });
  expect_no_fault();
}

TEST_P(CudaGraph, AMovedGraphCannotBecomeAnotherChildOrUpdateNodes) {
  run([this] {
    CUdeviceptr address = allocate(64);
    CUgraph inner = make_graph();
    add_kernel(inner, add_one(), address);
    CUgraph same = make_graph();
    add_kernel(same, add_one(), address);
    CUgraphExec exec = instantiate(same);
    CUgraphNodeParams params{};
    params.type = CU_GRAPH_NODE_TYPE_GRAPH;
    params.graph.graph = inner;
    params.graph.ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
    CUgraphNode child = nullptr;
    CUDA_OK(cuGraphAddNode_v2(&child, make_graph(), nullptr, nullptr, 0, &params));
    EXPECT_EQ(cuGraphAddChildGraphNode(&child, make_graph(), nullptr, 0, inner),
              CUDA_ERROR_INVALID_VALUE);
    CUgraphExecUpdateResultInfo info{};
    EXPECT_EQ(cuGraphExecUpdate_v2(exec, inner, &info), CUDA_ERROR_INVALID_VALUE);
  });
  expect_no_fault();
}

INSTANTIATE_ON_EVERY_DEVICE(CudaGraph);

}  // namespace
}  // namespace harness::testing
