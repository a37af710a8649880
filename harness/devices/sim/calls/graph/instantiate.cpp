// SPDX-License-Identifier: Apache-2.0
// Instantiation: checks whether a graph can be made executable, for the host or for the device.
#include "harness/devices/sim/calls/graph.h"

namespace harness::devices::calls {

static constexpr cuuint64_t kFlags =
    CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
    CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;

/// The reason why a graph cannot be instantiated, and the node that is the cause.
struct Refusal {
  CUresult status = CUDA_SUCCESS;
  CUgraphInstantiateResult result = CUDA_GRAPH_INSTANTIATE_SUCCESS;
  const GraphNode* culprit = nullptr;
};

static Refusal refuse(CUgraphInstantiateResult result, const GraphNode* culprit = nullptr) {
  return {CUDA_ERROR_INVALID_VALUE, result, culprit};
}

// ---- graphs that the device can launch ----------------------------------------------------------

/// Returns whether it is device memory, managed memory, or pinned host memory.
static bool is_in_device_reach(const Place& place) { return place.birth != BirthId::none; }

/// Checks that all nodes use one context, which is that of the first node.
struct DeviceGraph {
  const Context* context = nullptr;
  bool does_something = false;

  Refusal check(SimDevice& sim, const Graph& graph) {
    for (const GraphNode* node : graph.nodes)
      if (const Refusal found = check(sim, *node); found.status != CUDA_SUCCESS) return found;
    return {};
  }

  Refusal check(SimDevice& sim, const GraphNode& node) {
    constexpr CUgraphInstantiateResult kUnsupported =
        CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED;
    const NodeParams& params = *node.params;
    switch (params.type) {
      case CU_GRAPH_NODE_TYPE_GRAPH:
        return check(sim, *node.bodies.front());
      case CU_GRAPH_NODE_TYPE_MEMCPY:
        if (!is_in_device_reach(params.target) || !is_in_device_reach(params.source))
          return refuse(kUnsupported, &node);
        if (params.context != sim.threads().context())
          return refuse(CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED, &node);
        break;
      case CU_GRAPH_NODE_TYPE_KERNEL:
      case CU_GRAPH_NODE_TYPE_MEMSET:
        break;
      default:
        return refuse(kUnsupported, &node);
    }
    if (context != nullptr && context != params.context)
      return refuse(CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED, &node);
    context = params.context;
    does_something = true;
    return {};
  }
};

static Refusal check_device_launch(SimDevice& sim, const Graph& graph) {
  DeviceGraph found;
  if (const Refusal refusal = found.check(sim, graph); refusal.status != CUDA_SUCCESS)
    return refusal;
  return found.does_something ? Refusal{} : refuse(CUDA_GRAPH_INSTANTIATE_ERROR);
}

// ---- graphs -------------------------------------------------------------------------------------

/// Refuses a cooperative kernel that is larger than the device.
static Refusal check_size(const Graph& graph) {
  for (const GraphNode* node : graph.nodes) {
    if (node->attributes->cooperative())
      if (const CUresult error = check_cooperative(config_of(node->params->kernel));
          error != CUDA_SUCCESS)
        return {error, CUDA_GRAPH_INSTANTIATE_ERROR};
    for (const Graph* body : node->bodies)
      if (const Refusal found = check_size(*body); found.status != CUDA_SUCCESS) return found;
  }
  return {};
}

static Refusal check(SimDevice& sim, Graph& graph, cuuint64_t flags) {
  // An embedded graph cannot be instantiated.
  if (graph.owner != nullptr) return refuse(CUDA_GRAPH_INSTANTIATE_ERROR);
  // There is only one instance of its memory and of the values of its conditions.
  if (graph.exec_count > 0 && (graph.has_memory_nodes() || graph.has_conditional_nodes()))
    return {CUDA_ERROR_NOT_SUPPORTED, CUDA_GRAPH_INSTANTIATE_ERROR};
  if (sim.graphs().conditions().has_unused(graph))
    return refuse(CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED);
  if (const GraphNode* culprit = find_cycle(graph); culprit != nullptr)
    return refuse(CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE, culprit);
  if (const Refusal found = check_size(graph); found.status != CUDA_SUCCESS) return found;
  const bool by_device = (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) != 0;
  return by_device ? check_device_launch(sim, graph) : Refusal{};
}

static Executable& make(SimDevice& sim, Graph& graph, cuuint64_t flags) {
  return sim.graphs().executables().instantiate(
      graph, flags & ~cuuint64_t{CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD});
}

// ---- the calls ----------------------------------------------------------------------------------

static bool are_valid(cuuint64_t flags) {
  constexpr cuuint64_t kEither =
      CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
  return (flags & ~kFlags) == 0 && (flags & kEither) != kEither;
}

CUresult Calls::cuGraphInstantiateWithFlags(CUgraphExec* created, CUgraph handle,
                                            unsigned long long flags) {
  if (created == nullptr || !are_valid(flags) || (flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  const ChangingGraph call(sim, handle);
  if (call.graph() == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = sim.captures().admit_unsafe(); error != CUDA_SUCCESS) return error;
  const Refusal found = check(sim, *call.graph(), flags);
  if (found.status == CUDA_SUCCESS) *created = make(sim, *call.graph(), flags).as<CUgraphExec>();
  return found.status;
}

static CUresult instantiate_with(SimDevice& sim, CUgraphExec* created, CUgraph handle,
                                 CUDA_GRAPH_INSTANTIATE_PARAMS* params, CUstream upload_stream) {
  if (created == nullptr || params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  params->hErrNode_out = nullptr;
  params->result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
  if (!are_valid(params->flags)) return CUDA_ERROR_INVALID_VALUE;
  const ChangingGraph call(sim, handle);
  if (call.graph() == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = sim.captures().admit_unsafe(); error != CUDA_SUCCESS) return error;
  const bool uploads = (params->flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD) != 0;
  Found<Stream> stream = CUDA_SUCCESS;
  if (uploads) {
    stream = find_uncaptured_stream(sim, upload_stream);
    if (!stream) return stream.error();
  }
  const Refusal found = check(sim, *call.graph(), params->flags);
  params->result_out = found.result;
  if (found.culprit != nullptr) params->hErrNode_out = found.culprit->as<CUgraphNode>();
  if (found.status != CUDA_SUCCESS) return found.status;
  Executable& made = make(sim, *call.graph(), params->flags);
  *created = made.as<CUgraphExec>();
  if (uploads) upload(sim, made, *stream);
  return CUDA_SUCCESS;
}

CUresult Calls::cuGraphInstantiateWithParams(CUgraphExec* created, CUgraph graph,
                                             CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
  return instantiate_with(sim, created, graph, params,
                          params != nullptr ? params->hUploadStream : nullptr);
}

CUresult Calls::cuGraphInstantiateWithParams_ptsz(CUgraphExec* created, CUgraph graph,
                                                  CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
  return instantiate_with(sim, created, graph, params,
                          per_thread(params != nullptr ? params->hUploadStream : nullptr));
}

}  // namespace harness::devices::calls
