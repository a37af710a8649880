// SPDX-License-Identifier: Apache-2.0
// Short names for the calls that create nodes, for tests of graphs.
#pragma once

#include <vector>

#include "harness/devices/tests/cuda_stage.h"

namespace harness::testing {

inline CUgraph make_graph() {
  CUgraph graph = nullptr;
  EXPECT_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
  return graph;
}

inline CUcontext current_context() {
  CUcontext context = nullptr;
  EXPECT_EQ(cuCtxGetCurrent(&context), CUDA_SUCCESS);
  return context;
}

using Nodes = std::vector<CUgraphNode>;

inline CUDA_KERNEL_NODE_PARAMS kernel_params(CUfunction function, void** values, unsigned grid = 1,
                                             unsigned block = 1) {
  CUDA_KERNEL_NODE_PARAMS params{};
  params.func = function;
  params.gridDimX = grid;
  params.gridDimY = params.gridDimZ = 1;
  params.blockDimX = block;
  params.blockDimY = params.blockDimZ = 1;
  params.kernelParams = values;
  return params;
}

/// add_one(address, 1).
inline CUgraphNode add_kernel(CUgraph graph, CUfunction function, CUdeviceptr address,
                              const Nodes& after = {}) {
  int count = 1;
  void* values[] = {&address, &count};
  const CUDA_KERNEL_NODE_PARAMS params = kernel_params(function, values);
  CUgraphNode node = nullptr;
  EXPECT_EQ(cuGraphAddKernelNode_v2(&node, graph, after.data(), after.size(), &params),
            CUDA_SUCCESS);
  return node;
}

inline CUDA_MEMSET_NODE_PARAMS set_params(CUdeviceptr address, unsigned value,
                                          std::size_t count = 1) {
  CUDA_MEMSET_NODE_PARAMS params{};
  params.dst = address;
  params.value = value;
  params.elementSize = 4;
  params.width = count;
  params.height = 1;
  return params;
}

inline CUgraphNode add_set(CUgraph graph, CUdeviceptr address, unsigned value,
                           const Nodes& after = {}) {
  const CUDA_MEMSET_NODE_PARAMS params = set_params(address, value);
  CUgraphNode node = nullptr;
  EXPECT_EQ(
      cuGraphAddMemsetNode(&node, graph, after.data(), after.size(), &params, current_context()),
      CUDA_SUCCESS);
  return node;
}

inline CUDA_MEMCPY3D copy_params(CUdeviceptr target, CUdeviceptr source, std::size_t bytes) {
  CUDA_MEMCPY3D params{};
  params.srcMemoryType = params.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  params.srcDevice = source;
  params.dstDevice = target;
  params.WidthInBytes = bytes;
  params.Height = params.Depth = 1;
  return params;
}

inline CUgraphNode add_copy(CUgraph graph, CUdeviceptr target, CUdeviceptr source,
                            const Nodes& after = {}) {
  const CUDA_MEMCPY3D params = copy_params(target, source, sizeof(int));
  CUgraphNode node = nullptr;
  EXPECT_EQ(
      cuGraphAddMemcpyNode(&node, graph, after.data(), after.size(), &params, current_context()),
      CUDA_SUCCESS);
  return node;
}

inline CUgraphNode add_empty(CUgraph graph, const Nodes& after = {}) {
  CUgraphNode node = nullptr;
  EXPECT_EQ(cuGraphAddEmptyNode(&node, graph, after.data(), after.size()), CUDA_SUCCESS);
  return node;
}

inline CUgraphNode add_host(CUgraph graph, CUhostFn function, void* data, const Nodes& after = {}) {
  const CUDA_HOST_NODE_PARAMS params{function, data};
  CUgraphNode node = nullptr;
  EXPECT_EQ(cuGraphAddHostNode(&node, graph, after.data(), after.size(), &params), CUDA_SUCCESS);
  return node;
}

inline CUgraphNode add_child(CUgraph graph, CUgraph body, const Nodes& after = {}) {
  CUgraphNode node = nullptr;
  EXPECT_EQ(cuGraphAddChildGraphNode(&node, graph, after.data(), after.size(), body), CUDA_SUCCESS);
  return node;
}

inline CUDA_MEM_ALLOC_NODE_PARAMS alloc_params(std::size_t bytes) {
  CUDA_MEM_ALLOC_NODE_PARAMS params{};
  params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  params.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  params.bytesize = bytes;
  return params;
}

inline CUgraphNode add_alloc(CUgraph graph, CUdeviceptr& address, const Nodes& after = {}) {
  CUDA_MEM_ALLOC_NODE_PARAMS params = alloc_params(64);
  CUgraphNode node = nullptr;
  EXPECT_EQ(cuGraphAddMemAllocNode(&node, graph, after.data(), after.size(), &params),
            CUDA_SUCCESS);
  address = params.dptr;
  return node;
}

inline CUgraphNode add_free(CUgraph graph, CUdeviceptr address, const Nodes& after = {}) {
  CUgraphNode node = nullptr;
  EXPECT_EQ(cuGraphAddMemFreeNode(&node, graph, after.data(), after.size(), address), CUDA_SUCCESS);
  return node;
}

inline CUgraphExec instantiate(CUgraph graph, unsigned long long flags = 0) {
  CUgraphExec exec = nullptr;
  EXPECT_EQ(cuGraphInstantiateWithFlags(&exec, graph, flags), CUDA_SUCCESS);
  return exec;
}

inline void launch_and_wait(CUgraphExec exec, CUstream stream = nullptr) {
  EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
}

inline std::size_t node_count(CUgraph graph) {
  std::size_t count = 0;
  EXPECT_EQ(cuGraphGetNodes(graph, nullptr, &count), CUDA_SUCCESS);
  return count;
}

inline std::size_t edge_count(CUgraph graph) {
  std::size_t count = 0;
  EXPECT_EQ(cuGraphGetEdges_v2(graph, nullptr, nullptr, nullptr, &count), CUDA_SUCCESS);
  return count;
}

/// In the order in which they were added.
inline Nodes nodes_of(CUgraph graph) {
  Nodes nodes(node_count(graph));
  std::size_t count = nodes.size();
  EXPECT_EQ(cuGraphGetNodes(graph, nodes.data(), &count), CUDA_SUCCESS);
  return nodes;
}

using NodeTypes = std::vector<CUgraphNodeType>;

/// The same.
inline NodeTypes node_types(CUgraph graph) {
  NodeTypes types;
  for (CUgraphNode node : nodes_of(graph))
    EXPECT_EQ(cuGraphNodeGetType(node, &types.emplace_back()), CUDA_SUCCESS);
  return types;
}

inline CUgraphConditionalHandle make_handle(CUgraph graph, unsigned value, unsigned flags = 1) {
  CUgraphConditionalHandle handle = 0;
  EXPECT_EQ(cuGraphConditionalHandleCreate(&handle, graph, current_context(), value, flags),
            CUDA_SUCCESS);
  return handle;
}

inline CUgraphNodeParams conditional_params(CUgraphConditionalHandle handle,
                                            CUgraphConditionalNodeType type, unsigned size) {
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  params.conditional.handle = handle;
  params.conditional.type = type;
  params.conditional.size = size;
  params.conditional.ctx = current_context();
  return params;
}

/// Returns the bodies.
inline CUgraph* add_conditional(CUgraph graph, CUgraphConditionalHandle handle,
                                CUgraphConditionalNodeType type, unsigned size = 1,
                                const Nodes& after = {}) {
  CUgraphNodeParams params = conditional_params(handle, type, size);
  CUgraphNode node = nullptr;
  EXPECT_EQ(cuGraphAddNode_v2(&node, graph, after.data(), nullptr, after.size(), &params),
            CUDA_SUCCESS);
  return params.conditional.phGraph_out;
}

/// Counts how often it was called.
inline void count_up(void* data) { ++*static_cast<int*>(data); }

}  // namespace harness::testing
