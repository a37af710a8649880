// SPDX-License-Identifier: Apache-2.0
// The conformance suite of devices/: graphs printed for Graphviz.
#include "harness/base/tests/folder.h"
#include "harness/devices/tests/graphs/graph_stage.h"

namespace harness::testing {
namespace {

class CudaGraphDot : public OnEveryDevice {};

/// Returns the text that cuGraphDebugDotPrint writes.
std::string print(CUgraph graph, unsigned flags = 0) {
  const Folder folder;
  const std::string path = folder / "graph.dot";
  EXPECT_EQ(cuGraphDebugDotPrint(graph, path.c_str(), flags), CUDA_SUCCESS);
  return read_file(path);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST_P(CudaGraphDot, AGraphIsPrintedWithItsNodesAndEdges) {
  const void* kernels = image();
  run([kernels] {
    CUdeviceptr address = allocate(64);
    CUgraph graph = make_graph();
    CUgraphNode set = add_set(graph, address, 1);
    add_kernel(graph, get_kernel(kernels, "add_one"), address, {set});
    const std::string text = print(graph);
    EXPECT_EQ(text.find("digraph"), 0u) << text;
    EXPECT_NE(text.find("add_one"), std::string::npos) << text;
    EXPECT_EQ(count(text, "->"), 1u) << text;
    EXPECT_GT(print(graph, CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE).size(), text.size());
  });
  expect_no_fault();
}

TEST_P(CudaGraphDot, AMissingGraphOrPathIsRefused) {
  run([] {
    CUgraph graph = make_graph();
    EXPECT_EQ(cuGraphDebugDotPrint(nullptr, "unused.dot", 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphDebugDotPrint(graph, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphDebugDotPrint(graph, "/no/such/folder/graph.dot", 0),
              CUDA_ERROR_OPERATING_SYSTEM);
    EXPECT_EQ(print(graph, 1U << 30), print(graph)) << "a flag that is none means nothing";
  });
  expect_no_fault();
}

INSTANTIATE_ON_EVERY_DEVICE(CudaGraphDot);

class SimGraphDot : public OnSim {};

TEST_F(SimGraphDot, TheTextIsTheSameInEveryRun) {
  stage.run([] {
    CUdeviceptr address = allocate(64);
    CUgraph inner = make_graph();
    add_empty(inner);
    CUgraph graph = make_graph();
    CUgraphNode child = add_child(graph, inner);
    add_copy(graph, address + 8, address, {child});
    EXPECT_EQ(print(graph, CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS),
              R"(digraph graphs {
  compound=true
  subgraph cluster_0 {
    label="graph_0" graph[style="dashed"]
    "graph_0_node_0"[shape="record" label="{GRAPH|ID 0}"]
    "graph_0_node_1"[shape="record" label="{MEMCPY|ID 1|device to device|4 bytes|1 rows|1 layers}"]
    "graph_0_node_0" -> "graph_0_node_1"
  }
  subgraph cluster_1 {
    label="graph_1" graph[style="dashed"]
    "graph_1_node_0"[shape="record" label="{EMPTY|ID 0}"]
  }
  "graph_0_node_0" -> "graph_1_node_0"[lhead="cluster_1" style="dotted"]
}
)");
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

TEST_F(SimGraphDot, EveryTypeOfNodeIsPrinted) {
  stage.run([] {
    CUdeviceptr address = allocate(64);
    CUgraph graph = make_graph();
    add_kernel(graph, get_kernel(&afterlife_kernels_conformance, "add_one"), address);
    add_set(graph, address, 1);
    add_host(graph, count_up, nullptr);
    CUgraphNode node = nullptr;
    CUDA_OK(cuGraphAddEventRecordNode(&node, graph, nullptr, 0, make_event()));
    CUDA_OK(cuGraphAddEventWaitNode(&node, graph, nullptr, 0, make_event()));
    CUdeviceptr inner = 0;
    CUgraphNode alloc = add_alloc(graph, inner);
    add_free(graph, inner, {alloc});
    add_conditional(graph, make_handle(graph, 0), CU_GRAPH_COND_TYPE_WHILE);
    CUstreamBatchMemOpParams operation{};
    operation.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    operation.writeValue.address = address;
    const CUDA_BATCH_MEM_OP_NODE_PARAMS batch{current_context(), 1, &operation, 0};
    CUDA_OK(cuGraphAddBatchMemOpNode(&node, graph, nullptr, 0, &batch));
    const std::string text = print(graph, CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE);
    for (const char* part :
         {"KERNEL|ID 0", "|add_one|grid 1 1 1|block 1 1 1|", "cooperative 0|priority 0",
          "MEMSET|ID 1", "1 of 4 bytes|1 rows", "HOST|ID 2", "EVENT_RECORD|ID 3", "WAIT_EVENT|ID 4",
          "MEM_ALLOC|ID 5", "64 bytes", "MEM_FREE|ID 6", "CONDITIONAL|ID 7", "|WHILE",
          "BATCH_MEM_OP|ID 8", "1 operations"})
      EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    EXPECT_EQ(count(text, "{"), count(text, "}")) << text;
  });
  EXPECT_TRUE(stage.faults.empty()) << stage.fault();
}

}  // namespace
}  // namespace harness::testing
