// SPDX-License-Identifier: Apache-2.0
// Graphs on the real driver: the calls that create and destroy graphs, nodes, executable graphs and
// libraries. All other calls are passed on unchanged.
#include "harness/devices/gpu/calls.h"

namespace harness::devices::gpu_calls {

namespace {

using T = DriverTable;

/// Calls `kFunction`, which creates what its first argument points at, after checking the others.
template <auto kFunction, Kind kKind, class Handle, class... Arguments>
CUresult make(Handle* handle, Arguments... arguments) {
  GpuDevice& gpu = GpuDevice::current();
  CUresult status = CUDA_SUCCESS;
  ((status = status != CUDA_SUCCESS ? status : check(gpu, arguments)), ...);
  if (status == CUDA_SUCCESS) status = (gpu.driver().*kFunction)(handle, arguments...);
  if (status == CUDA_SUCCESS) gpu.born(kKind, *handle);
  return status;
}

template <auto kFunction, class... Arguments>
CUresult add(CUgraphNode* node, CUgraph graph, Arguments... arguments) {
  GpuDevice& gpu = GpuDevice::current();
  CUresult status = check(gpu, graph);
  ((status = status != CUDA_SUCCESS ? status : check(gpu, arguments)), ...);
  if (status == CUDA_SUCCESS) status = (gpu.driver().*kFunction)(node, graph, arguments...);
  if (status == CUDA_SUCCESS) gpu.born_in(graph, Kind::graph_node, *node);
  return status;
}

CUresult add_alloc(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, std::size_t count,
                   CUDA_MEM_ALLOC_NODE_PARAMS* params) {
  const CUresult status = add<&T::cuGraphAddMemAllocNode>(node, graph, after, count, params);
  if (status == CUDA_SUCCESS) GpuDevice::current().reserved(params->dptr);
  return status;
}

/// Returns whether `graph` is inside `child`. Driver 580 refuses a graph as its own child, but
/// crashes (SIGSEGV in the call) if the child contains `graph` further down.
bool has_inside(CUgraph child, CUgraph graph) {
  return child != nullptr && GpuDevice::current().parts().is_in(graph, child);
}

CUresult add_child(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, std::size_t count,
                   CUgraph child) {
  if (has_inside(child, graph)) return CUDA_ERROR_INVALID_VALUE;
  return add<&T::cuGraphAddChildGraphNode>(node, graph, after, count, child);
}

CUresult child_graph(CUgraphNode node, CUgraph* child) {
  const CUresult status = pass<&T::cuGraphChildGraphNodeGetGraph>(node, child);
  GpuDevice& gpu = GpuDevice::current();
  if (status == CUDA_SUCCESS && !gpu.lives(*child)) gpu.born_in(node, Kind::graph, *child);
  return status;
}

CUresult list_nodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
  const CUresult status = pass<&T::cuGraphGetNodes>(graph, nodes, count);
  for (std::size_t i = 0; status == CUDA_SUCCESS && nodes != nullptr && i < *count; ++i)
    GpuDevice::current().parts().put(nodes[i], graph);
  return status;
}

CUresult add_any(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                 const CUgraphEdgeData* data, std::size_t count, CUgraphNodeParams* params) {
  if (params != nullptr && params->type == CU_GRAPH_NODE_TYPE_GRAPH &&
      has_inside(params->graph.graph, graph))
    return CUDA_ERROR_INVALID_VALUE;
  NotedLater noted(params);
  const CUresult status =
      add<&T::cuGraphAddNode_v2>(node, graph, after, data, count, noted.params());
  if (status != CUDA_SUCCESS) return status;
  if (params->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
    GpuDevice::current().reserved(params->alloc.dptr);
  if (params->type == CU_GRAPH_NODE_TYPE_GRAPH &&
      params->graph.ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE)
    GpuDevice::current().parts().put(params->graph.graph, *node);
  if (params->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
    for (unsigned i = 0; i < params->conditional.size; ++i)
      GpuDevice::current().born_in(*node, Kind::graph, params->conditional.phGraph_out[i]);
  return status;
}

CUresult add_host(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, std::size_t count,
                  const HostFunction* params) {
  if (params == nullptr) return add<&T::cuGraphAddHostNode>(node, graph, after, count, params);
  const HostFunction noted = noted_later(*params);
  return add<&T::cuGraphAddHostNode>(node, graph, after, count, &noted);
}

/// The graph begins when its capture ends, unless the capture added nodes to an existing graph.
CUresult end_capture(CUstream stream, CUgraph* graph) {
  GpuDevice& gpu = GpuDevice::current();
  if (const CUresult error = check(gpu, stream); error != CUDA_SUCCESS) return error;
  const CUresult status = gpu.driver().cuStreamEndCapture(stream, graph);
  if (status == CUDA_SUCCESS && *graph != nullptr && !gpu.lives(*graph))
    gpu.born(Kind::graph, *graph);
  return status;
}

}  // namespace

void add_graph_functions(DriverTable& table) {
  table.cuGraphCreate = make<&T::cuGraphCreate, Kind::graph>;
  table.cuStreamEndCapture = end_capture;
  table.cuGraphClone = make<&T::cuGraphClone, Kind::graph>;
  table.cuGraphDestroy = served<unload<&T::cuGraphDestroy, Kind::graph, CUgraph>>;
  table.cuGraphAddNode_v2 = add_any;
  table.cuGraphAddMemAllocNode = add_alloc;
  table.cuGraphAddBatchMemOpNode = add<&T::cuGraphAddBatchMemOpNode>;
  table.cuGraphAddMemFreeNode = add<&T::cuGraphAddMemFreeNode>;
  table.cuGraphAddEmptyNode = add<&T::cuGraphAddEmptyNode>;
  table.cuGraphAddKernelNode_v2 = add<&T::cuGraphAddKernelNode_v2>;
  table.cuGraphAddMemcpyNode = add<&T::cuGraphAddMemcpyNode>;
  table.cuGraphAddMemsetNode = add<&T::cuGraphAddMemsetNode>;
  table.cuGraphAddHostNode = add_host;
  table.cuGraphAddEventRecordNode = add<&T::cuGraphAddEventRecordNode>;
  table.cuGraphAddEventWaitNode = add<&T::cuGraphAddEventWaitNode>;
  table.cuGraphAddChildGraphNode = add_child;
  table.cuGraphChildGraphNodeGetGraph = child_graph;
  table.cuGraphGetNodes = list_nodes;
  table.cuGraphDestroyNode = unload<&T::cuGraphDestroyNode, Kind::graph_node>;
  table.cuGraphInstantiateWithFlags = make<&T::cuGraphInstantiateWithFlags, Kind::graph_exec>;
  table.cuGraphInstantiateWithParams = make<&T::cuGraphInstantiateWithParams, Kind::graph_exec>;
  table.cuGraphInstantiateWithParams_ptsz =
      make<&T::cuGraphInstantiateWithParams_ptsz, Kind::graph_exec>;
  table.cuGraphExecDestroy = served<unload<&T::cuGraphExecDestroy, Kind::graph_exec, CUgraphExec>>;
  table.cuLibraryLoadData = make<&T::cuLibraryLoadData, Kind::library>;
  table.cuLibraryUnload = unload<&T::cuLibraryUnload, Kind::library>;
}

}  // namespace harness::devices::gpu_calls
