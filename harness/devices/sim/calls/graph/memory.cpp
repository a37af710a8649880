// SPDX-License-Identifier: Apache-2.0
// Nodes that allocate and free memory, and the attributes of graph memory.
#include "harness/devices/sim/calls/graph.h"

namespace harness::devices::calls {

// ---- allocations ------------------------------------------------------------------------------

CUresult add_alloc(SimDevice& sim, const NewNode& wanted, CUDA_MEM_ALLOC_NODE_PARAMS& given) {
  // In a capture, this would be a valid allocation.
  if (given.bytesize == 0) return CUDA_ERROR_INVALID_VALUE;
  return add_node(sim, wanted,
                  [&](Graph& graph, std::span<const GraphEdge> edges) -> Found<GraphNode> {
                    const Found<const NodeParams> made = make_alloc_params(sim, graph, given);
                    if (!made) return made.error();
                    return sim.graphs().definitions().add(graph, *made, edges);
                  });
}

CUresult Calls::cuGraphAddMemAllocNode(CUgraphNode* created, CUgraph graph,
                                       const CUgraphNode* after, size_t after_count,
                                       CUDA_MEM_ALLOC_NODE_PARAMS* given) {
  if (given == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add_alloc(sim, {created, graph, CU_GRAPH_NODE_TYPE_MEM_ALLOC, after, nullptr, after_count},
                   *given);
}

CUresult Calls::cuGraphMemAllocNodeGetParams(CUgraphNode handle,
                                             CUDA_MEM_ALLOC_NODE_PARAMS* params) {
  const GraphNode* node = look_at(sim, handle);
  if (params == nullptr || node == nullptr || node->params->type != CU_GRAPH_NODE_TYPE_MEM_ALLOC)
    return CUDA_ERROR_INVALID_VALUE;
  *params = node->params->alloc;
  return CUDA_SUCCESS;
}

CUresult add_free(SimDevice& sim, const NewNode& wanted, CUdeviceptr address) {
  return add_node(sim, wanted,
                  [&](Graph& graph, std::span<const GraphEdge> edges) -> Found<GraphNode> {
                    const Found<const NodeParams> made = make_free_params(sim, graph, address);
                    if (!made) return made.error();
                    return sim.graphs().definitions().add(graph, *made, edges);
                  });
}

CUresult Calls::cuGraphAddMemFreeNode(CUgraphNode* created, CUgraph graph, const CUgraphNode* after,
                                      size_t after_count, CUdeviceptr address) {
  return add_free(sim, {created, graph, CU_GRAPH_NODE_TYPE_MEM_FREE, after, nullptr, after_count},
                  address);
}

CUresult Calls::cuGraphMemFreeNodeGetParams(CUgraphNode handle, CUdeviceptr* address) {
  const GraphNode* node = look_at(sim, handle);
  if (address == nullptr || node == nullptr || node->params->type != CU_GRAPH_NODE_TYPE_MEM_FREE)
    return CUDA_ERROR_INVALID_VALUE;
  *address = sim.memory().block(node->params->memory->block).base;
  return CUDA_SUCCESS;
}

// ---- memory in use ----------------------------------------------------------------------------

CUresult Calls::cuDeviceGraphMemTrim(CUdevice device) {
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  sim.graphs().allocations().counters().trim();
  return CUDA_SUCCESS;
}

/// Returns the counter that an attribute names; null if it names none.
static const std::uint64_t* counter(const GraphMemoryCounters& counters,
                                    CUgraphMem_attribute attribute) {
  switch (attribute) {
    case CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT:
      return &counters.used;
    case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
      return &counters.used_high;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT:
      return &counters.reserved;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
      return &counters.reserved_high;
  }
  return nullptr;
}

CUresult Calls::cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
                                             void* value) {
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const std::uint64_t* found = counter(sim.graphs().allocations().counters(), attribute);
  if (found == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *static_cast<cuuint64_t*>(value) = *found;
  return CUDA_SUCCESS;
}

/// A high-water mark can only be reset to the amount in use.
CUresult Calls::cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
                                             void* value) {
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  if (value == nullptr || *static_cast<const cuuint64_t*>(value) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  GraphMemoryCounters& counters = sim.graphs().allocations().counters();
  if (attribute == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH) {
    counters.used_high = counters.used;
  } else if (attribute == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH) {
    counters.reserved_high = counters.reserved;
  } else {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

}  // namespace harness::devices::calls
