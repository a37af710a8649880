// SPDX-License-Identifier: Apache-2.0
// The parameters of nodes that allocate and free memory.
#include "harness/devices/sim/graphs/params.h"

namespace harness::devices {

constexpr std::size_t kDeviceCount = 1;

static bool is_managed(PoolKind kind) {
  return kind >= PoolKind::managed && kind != PoolKind::none;
}

static CUresult check_alloc(const CUDA_MEM_ALLOC_NODE_PARAMS& given) {
  const CUmemPoolProps& props = given.poolProps;
  const PoolKind kind = pool_kind(props.location, props.allocType);
  if ((kind != PoolKind::device && !is_managed(kind)) || given.accessDescCount > kDeviceCount ||
      (given.accessDescCount > 0 && given.accessDescs == nullptr))
    return CUDA_ERROR_INVALID_VALUE;
  return props.handleTypes == CU_MEM_HANDLE_TYPE_NONE ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

Found<const NodeParams> make_alloc_params(SimDevice& sim, const Graph& graph,
                                          CUDA_MEM_ALLOC_NODE_PARAMS& given) {
  if (const CUresult error = check_alloc(given); error != CUDA_SUCCESS) return error;
  GraphMemory* memory = sim.graphs().allocations().reserve(graph, given.bytesize);
  if (memory == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  memory->is_managed = is_managed(pool_kind(given.poolProps.location, given.poolProps.allocType));
  if (memory->is_managed) sim.host_memory().add(memory->block);
  NodeParams& params =
      sim.graphs().definitions().fresh_params(CU_GRAPH_NODE_TYPE_MEM_ALLOC, "allocation");
  given.dptr = sim.memory().block(memory->block).base;
  params.memory = memory;
  params.alloc = given;
  params.access.assign(given.accessDescs, given.accessDescs + given.accessDescCount);
  params.alloc.accessDescs = params.access.data();
  return params;
}

/// Returns the memory at `address` if a node of `graph` may free it; null if not.
static GraphMemory* find_memory(SimDevice& sim, const Graph& graph, CUdeviceptr address) {
  const Block& block = sim.memory().block(sim.memory().newest(address));
  GraphMemory* memory = block.graph;
  if (memory == nullptr || block.base != address || !sim.ledger().alive(block.birth))
    return nullptr;
  if (memory->freed_in == &graph) {
    sim.faults().misuse("graph memory", "freed twice in the same graph", block.birth);
    return nullptr;
  }
  // Either the graph that allocates it frees it, or another graph, but not both.
  const bool is_others =
      memory->graph == &graph ? memory->is_left : memory->freed_in == memory->graph;
  return is_others ? nullptr : memory;
}

Found<const NodeParams> make_free_params(SimDevice& sim, const Graph& graph, CUdeviceptr address) {
  GraphMemory* memory = find_memory(sim, graph, address);
  if (memory == nullptr) return CUDA_ERROR_INVALID_VALUE;
  memory->freed_in = &graph;
  memory->is_left |= memory->graph != &graph;
  NodeParams& params = sim.graphs().definitions().fresh_params(CU_GRAPH_NODE_TYPE_MEM_FREE, "free");
  params.memory = memory;
  return params;
}

}  // namespace harness::devices
