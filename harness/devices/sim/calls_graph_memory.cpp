// Nodes that allocate and free, nodes with a condition, and what may be asked of graph memory.
#include "harness/devices/sim/calls_graph.h"

namespace harness::devices::calls {

// ---- allocation -------------------------------------------------------------------------------

static CUresult check_alloc(const CUDA_MEM_ALLOC_NODE_PARAMS& given) {
  const CUmemPoolProps& props = given.poolProps;
  if (props.allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
      props.location.type != CU_MEM_LOCATION_TYPE_DEVICE || props.location.id != 0 ||
      given.bytesize == 0 || (given.accessDescCount > 0 && given.accessDescs == nullptr))
    return CUDA_ERROR_INVALID_VALUE;
  return props.handleTypes == CU_MEM_HANDLE_TYPE_NONE ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult add_alloc(const NewNode& wanted, CUDA_MEM_ALLOC_NODE_PARAMS& given) {
  if (const CUresult error = check_alloc(given); error != CUDA_SUCCESS) return error;
  return add_node(wanted, [&](SimDevice& sim, Graph& graph, std::span<const GraphEdge> edges,
                              GraphNode*& node) {
    GraphMemory* memory = sim.graphs.reserve(graph, given.bytesize);
    if (memory == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    NodeParams& params = sim.graphs.fresh_params(CU_GRAPH_NODE_TYPE_MEM_ALLOC, "allocation");
    given.dptr = sim.memory.block(memory->block).base;
    params.memory = memory;
    params.alloc = given;
    params.access.assign(given.accessDescs, given.accessDescs + given.accessDescCount);
    params.alloc.accessDescs = params.access.data();
    node = &sim.graphs.add(graph, params, edges);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphAddMemAllocNode(CUgraphNode* created, CUgraph graph, const CUgraphNode* after,
                                size_t after_count, CUDA_MEM_ALLOC_NODE_PARAMS* given) {
  if (given == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add_alloc({created, graph, CU_GRAPH_NODE_TYPE_MEM_ALLOC, after, nullptr, after_count},
                   *given);
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode handle, CUDA_MEM_ALLOC_NODE_PARAMS* params) {
  const GraphNode* node = look_at(SimDevice::current(), handle);
  if (params == nullptr || node == nullptr || node->params->type != CU_GRAPH_NODE_TYPE_MEM_ALLOC)
    return CUDA_ERROR_INVALID_VALUE;
  *params = node->params->alloc;
  return CUDA_SUCCESS;
}

/// What a node of `graph` may free; null otherwise.
static GraphMemory* find_memory(SimDevice& sim, const Graph& graph, CUdeviceptr address) {
  const Block& block = sim.memory.block(sim.memory.newest(address));
  GraphMemory* memory = block.graph;
  if (memory == nullptr || block.base != address || !sim.ledger().alive(block.birth))
    return nullptr;
  if (memory->freed_in == &graph) {
    sim.misuse("graph memory", "freed twice in the same graph", block.birth);
    return nullptr;
  }
  // The graph that allocates it and another one cannot both free it.
  const bool in_both = memory->freed_in != nullptr &&
                       (memory->freed_in == memory->graph) != (memory->graph == &graph);
  return in_both ? nullptr : memory;
}

CUresult add_free(const NewNode& wanted, CUdeviceptr address) {
  return add_node(wanted, [&](SimDevice& sim, Graph& graph, std::span<const GraphEdge> edges,
                              GraphNode*& node) {
    GraphMemory* memory = find_memory(sim, graph, address);
    if (memory == nullptr) return CUDA_ERROR_INVALID_VALUE;
    memory->freed_in = &graph;
    NodeParams& params = sim.graphs.fresh_params(CU_GRAPH_NODE_TYPE_MEM_FREE, "free");
    params.memory = memory;
    node = &sim.graphs.add(graph, params, edges);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphAddMemFreeNode(CUgraphNode* created, CUgraph graph, const CUgraphNode* after,
                               size_t after_count, CUdeviceptr address) {
  return add_free({created, graph, CU_GRAPH_NODE_TYPE_MEM_FREE, after, nullptr, after_count},
                  address);
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode handle, CUdeviceptr* address) {
  SimDevice& sim = SimDevice::current();
  const GraphNode* node = look_at(sim, handle);
  if (address == nullptr || node == nullptr || node->params->type != CU_GRAPH_NODE_TYPE_MEM_FREE)
    return CUDA_ERROR_INVALID_VALUE;
  *address = sim.memory.block(node->params->memory->block).base;
  return CUDA_SUCCESS;
}

// ---- what is in use ---------------------------------------------------------------------------

CUresult cuDeviceGraphMemTrim(CUdevice device) {
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  GraphMemoryCounters& counters = SimDevice::current().graphs.counters;
  counters.reserved = counters.used;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
                                      void* value) {
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const GraphMemoryCounters& counters = SimDevice::current().graphs.counters;
  auto& number = *static_cast<cuuint64_t*>(value);
  switch (attribute) {
    case CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT:
      number = counters.used;
      return CUDA_SUCCESS;
    case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
      number = counters.used_high;
      return CUDA_SUCCESS;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT:
      number = counters.reserved;
      return CUDA_SUCCESS;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
      number = counters.reserved_high;
      return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

/// High-water marks can only be set back, to what is in use now.
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
                                      void* value) {
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  if (value == nullptr || *static_cast<const cuuint64_t*>(value) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  GraphMemoryCounters& counters = SimDevice::current().graphs.counters;
  if (attribute == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH) {
    counters.used_high = counters.used;
  } else if (attribute == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH) {
    counters.reserved_high = counters.reserved;
  } else {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

// ---- conditions -------------------------------------------------------------------------------

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle* created, CUgraph handle,
                                        CUcontext context, unsigned default_value, unsigned flags) {
  SimDevice& sim = SimDevice::current();
  if (created == nullptr || (flags & ~unsigned{CU_GRAPH_COND_ASSIGN_DEFAULT}) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  const ChangingGraph call(sim, handle);
  if (call.graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (context != nullptr && sim.find(sim.contexts, context, "context") == nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  *created =
      sim.graphs
          .add_conditional(*call.graph, default_value, (flags & CU_GRAPH_COND_ASSIGN_DEFAULT) != 0)
          .handle;
  return CUDA_SUCCESS;
}

static bool is_valid(const CUDA_CONDITIONAL_NODE_PARAMS& given) {
  switch (given.type) {
    case CU_GRAPH_COND_TYPE_IF:
      return given.size == 1 || given.size == 2;
    case CU_GRAPH_COND_TYPE_WHILE:
      return given.size == 1;
    case CU_GRAPH_COND_TYPE_SWITCH:
      return given.size > 0;
  }
  return false;
}

/// The graph the handle was made for, or one embedded in it.
static bool belongs_to(const Graph* graph, const Graph* made_for) {
  while (graph != made_for && graph->owner != nullptr) graph = graph->owner->graph;
  return graph == made_for;
}

CUresult add_conditional(const NewNode& wanted, CUDA_CONDITIONAL_NODE_PARAMS& given) {
  if (!is_valid(given)) return CUDA_ERROR_INVALID_VALUE;
  return add_node(wanted, [&](SimDevice& sim, Graph& graph, std::span<const GraphEdge> edges,
                              GraphNode*& node) {
    Conditional* conditional = sim.graphs.find_conditional(given.handle);
    if (conditional == nullptr || conditional->node != nullptr ||
        !belongs_to(&graph, conditional->graph))
      return CUDA_ERROR_INVALID_VALUE;
    NodeParams& params = sim.graphs.fresh_params(CU_GRAPH_NODE_TYPE_CONDITIONAL, "conditional");
    params.conditional = conditional;
    params.condition_type = given.type;
    node = &sim.graphs.add_conditional(graph, params, given.size, edges);
    given.phGraph_out = node->body_handles.data();
    return CUDA_SUCCESS;
  });
}

}  // namespace harness::devices::calls
