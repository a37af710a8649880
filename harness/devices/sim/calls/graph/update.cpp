// SPDX-License-Identifier: Apache-2.0
// Updates of executable graphs: of one node, or of all of them. Launches in flight are not
// affected.
#include <algorithm>

#include "harness/devices/sim/calls/graph.h"

namespace harness::devices::calls {

// ---- one node ---------------------------------------------------------------------------------

/// Returns the executable's node that was made from the graph's node; null if there is none, which
/// is CUDA_ERROR_INVALID_VALUE.
static PlanNode* find_node(SimDevice& sim, Executable& exec, CUgraphNode handle) {
  const GraphNode* node = look_at(sim, handle);
  return node != nullptr ? exec.root->find(*node) : nullptr;
}

/// Replaces the node's work by the result of `make()`, if this change is allowed.
template <class Make>
static CUresult update(SimDevice& sim, CUgraphExec exec_handle, CUgraphNode node_handle,
                       CUgraphNodeType type, Make make) {
  const UsingExecutable call(sim, exec_handle);
  if (call.executable() == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const PlanNode* node = find_node(sim, *call.executable(), node_handle);
  if (node == nullptr || node->params->type != type) return CUDA_ERROR_INVALID_VALUE;
  const Found<const NodeParams> params = make();
  if (!params) return params.error();
  if (!may_become(sim, *node->params, *params) || !fit(*node->attributes, *params))
    return CUDA_ERROR_INVALID_VALUE;
  sim.graphs().executables().writable(*call.executable()).find(*node->source)->params = &*params;
  return CUDA_SUCCESS;
}

CUresult Calls::cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                                  const CUDA_KERNEL_NODE_PARAMS* given) {
  if (given == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return update(sim, exec, node, CU_GRAPH_NODE_TYPE_KERNEL,
                [&] { return make_kernel_params(sim, *given); });
}

CUresult Calls::cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                               const CUDA_MEMCPY3D* given, CUcontext context) {
  if (given == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return update(sim, exec, node, CU_GRAPH_NODE_TYPE_MEMCPY,
                [&] { return make_copy_params(sim, *given, context); });
}

CUresult Calls::cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                               const CUDA_MEMSET_NODE_PARAMS* given,
                                               CUcontext context) {
  if (given == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return update(sim, exec, node, CU_GRAPH_NODE_TYPE_MEMSET,
                [&] { return make_set_params(sim, *given, context); });
}

CUresult Calls::cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                             const CUDA_HOST_NODE_PARAMS* given) {
  if (given == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return update(sim, exec, node, CU_GRAPH_NODE_TYPE_HOST,
                [&] { return make_host_params(sim, *given); });
}

CUresult Calls::cuGraphExecBatchMemOpNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                   const CUDA_BATCH_MEM_OP_NODE_PARAMS* given) {
  if (given == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return update(sim, exec, node, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
                [&] { return make_memory_op_params(sim, *given); });
}

template <CUgraphNodeType kType>
static CUresult set_event(SimDevice& sim, CUgraphExec exec, CUgraphNode node, CUevent event) {
  return update(sim, exec, node, kType, [&] { return make_event_params(sim, kType, event); });
}

CUresult Calls::cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node,
                                                   CUevent event) {
  return set_event<CU_GRAPH_NODE_TYPE_EVENT_RECORD>(sim, exec, node, event);
}

CUresult Calls::cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node,
                                                 CUevent event) {
  return set_event<CU_GRAPH_NODE_TYPE_WAIT_EVENT>(sim, exec, node, event);
}

static bool can_be_disabled(const NodeParams& params) {
  return params.type == CU_GRAPH_NODE_TYPE_KERNEL || params.type == CU_GRAPH_NODE_TYPE_MEMCPY ||
         params.type == CU_GRAPH_NODE_TYPE_MEMSET;
}

CUresult Calls::cuGraphNodeSetEnabled(CUgraphExec exec_handle, CUgraphNode node_handle,
                                      unsigned enabled) {
  const UsingExecutable call(sim, exec_handle);
  if (call.executable() == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const PlanNode* node = find_node(sim, *call.executable(), node_handle);
  if (node == nullptr || !can_be_disabled(*node->params)) return CUDA_ERROR_INVALID_VALUE;
  sim.graphs().executables().writable(*call.executable()).find(*node->source)->enabled =
      enabled != 0;
  return CUDA_SUCCESS;
}

CUresult Calls::cuGraphNodeGetEnabled(CUgraphExec exec_handle, CUgraphNode node_handle,
                                      unsigned* enabled) {
  if (enabled == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const UsingExecutable call(sim, exec_handle);
  if (call.executable() == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const PlanNode* node = find_node(sim, *call.executable(), node_handle);
  if (node == nullptr || !can_be_disabled(*node->params)) return CUDA_ERROR_INVALID_VALUE;
  *enabled = node->enabled ? 1 : 0;
  return CUDA_SUCCESS;
}

// ---- all of them ------------------------------------------------------------------------------

/// The reason why a graph does not match the executable, and the nodes concerned.
struct Mismatch {
  CUgraphExecUpdateResult result = CU_GRAPH_EXEC_UPDATE_SUCCESS;
  const GraphNode* node = nullptr;
  const GraphNode* from = nullptr;
};

/// A node must stay cooperative or not, and must keep its priority if launches use priorities.
static bool may_become(const KernelAttributes& old, const KernelAttributes& now, cuuint64_t flags) {
  const bool has_priority = (flags & CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY) != 0;
  return old.cooperative() == now.cooperative() &&
         (!has_priority || old.priority() == now.priority());
}

static Mismatch compare_node(SimDevice& sim, const PlanNode& paired, const GraphNode& node,
                             cuuint64_t flags) {
  const std::size_t body_count = paired.bodies_end - paired.bodies_begin;
  const NodeParams& old = *paired.params;
  const NodeParams& now = *node.params;
  if (old.type != now.type) return {CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, &node};
  if (old.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || old.type == CU_GRAPH_NODE_TYPE_MEM_FREE) {
    if (old.memory == now.memory) return {};
    return {CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED, &node};
  }
  if (!may_become(*paired.attributes, *node.attributes, flags))
    return {CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED, &node};
  if (may_become(sim, old, now) && body_count == node.bodies.size()) return {};
  return {old.type == CU_GRAPH_NODE_TYPE_KERNEL
              ? CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE
          : old.type == CU_GRAPH_NODE_TYPE_CONDITIONAL  // Source: driver 580.
              ? CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED
              : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED,
          &node};
}

/// Returns a node without dependents, if the graph has more of these than the executable.
static const GraphNode* find_new_exit(const ExecutablePlan& exec,
                                      const std::vector<GraphNode*>& order) {
  std::vector<bool> is_waited_for(order.size());
  for (const GraphNode* node : order)
    for (const GraphEdge& edge : node->after) is_waited_for[edge.from->index] = true;
  const auto exits = std::count(is_waited_for.begin(), is_waited_for.end(), false);
  const auto had = std::count_if(exec.nodes.begin(), exec.nodes.end(), [&](const PlanNode& node) {
    return exec.dependents_of(node).empty();
  });
  if (exits <= had) return nullptr;
  return *std::find_if(order.rbegin(), order.rend(),
                       [&](const GraphNode* node) { return !is_waited_for[node->index]; });
}

/// Nodes are paired by their positions in the layout, which depend on the edges and the order in
/// which nodes were added.
static Mismatch compare(SimDevice& sim, const ExecutablePlan& exec, Graph& graph,
                        cuuint64_t flags) {
  constexpr CUgraphExecUpdateResult kTopology = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  if (exec.nodes.size() != graph.nodes.size()) return {kTopology};
  const std::vector<GraphNode*> order = sorted(graph);
  if (const GraphNode* exit = find_new_exit(exec, order)) return {kTopology, exit};
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    const GraphNode& node = *order[i];
    const PlanNode& paired = exec.nodes[i];
    if (node.after.size() != paired.after_count) return {kTopology, &node};
    for (const GraphEdge& edge : node.after) {
      const auto dependents = exec.dependents_of(exec.nodes[edge.from->index]);
      if (std::find(dependents.begin(), dependents.end(), i) == dependents.end())
        return {kTopology, &node, edge.from};
    }
    if (const Mismatch found = compare_node(sim, paired, node, flags); found.node != nullptr)
      return found;
  }
  for (std::uint32_t i = 0; i < order.size(); ++i)
    for (std::size_t body = 0; body < order[i]->bodies.size(); ++body)
      if (const Mismatch found =
              compare(sim, *exec.bodies_of(exec.nodes[i])[body], *order[i]->bodies[body], flags);
          found.result != CU_GRAPH_EXEC_UPDATE_SUCCESS)
        return found.node != nullptr ? found : Mismatch{found.result, order[i]};
  return {};
}

/// Returns whether to report an error of earlier work here, which is a choice. The call may return
/// such errors, and only CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE means that nothing was updated.
static bool tells_late_error(SimDevice& sim) {
  return sim.world().pick_failure(2, Site::delay) != 0;
}

/// `info` may be null: cuda.h does not forbid it, and the driver of an H200 accepts it.
CUresult Calls::cuGraphExecUpdate_v2(CUgraphExec exec_handle, CUgraph graph_handle,
                                     CUgraphExecUpdateResultInfo* info) {
  const UsingExecutable call(sim, exec_handle);
  if (call.executable() == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Graph* graph = look_at(sim, graph_handle);
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;  // Nothing is written to `info`.
  CUgraphExecUpdateResultInfo unread;
  if (info == nullptr) info = &unread;
  *info = {CU_GRAPH_EXEC_UPDATE_ERROR, nullptr, nullptr};
  if (graph->moved) return CUDA_ERROR_INVALID_VALUE;
  if (find_cycle(*graph) != nullptr) return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  const Mismatch found = compare(sim, *call.executable()->root, *graph, call.executable()->flags);
  info->result = found.result;
  if (found.node != nullptr) info->errorNode = found.node->as<CUgraphNode>();
  if (found.from != nullptr) info->errorFromNode = found.from->as<CUgraphNode>();
  if (found.result != CU_GRAPH_EXEC_UPDATE_SUCCESS) return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  ExecutablePlan& root = sim.graphs().executables().writable(*call.executable());
  sim.graphs().executables().replace(root, *graph, root.after);
  return tells_late_error(sim) ? CUDA_ERROR_UNKNOWN : CUDA_SUCCESS;
}

CUresult Calls::cuGraphExecChildGraphNodeSetParams(CUgraphExec exec_handle, CUgraphNode node_handle,
                                                   CUgraph body_handle) {
  const UsingExecutable call(sim, exec_handle);
  if (call.executable() == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const PlanNode* node = find_node(sim, *call.executable(), node_handle);
  if (node == nullptr || node->params->type != CU_GRAPH_NODE_TYPE_GRAPH)
    return CUDA_ERROR_INVALID_VALUE;
  Graph* body = look_at(sim, body_handle);
  if (body == nullptr || find_cycle(*body) != nullptr) return CUDA_ERROR_INVALID_VALUE;
  ExecutablePlan* const old = call.executable()->root->find_body(*node->source);
  if (compare(sim, *old, *body, call.executable()->flags).result != CU_GRAPH_EXEC_UPDATE_SUCCESS)
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  const GraphNode& source = *node->source;
  ExecutablePlan& root = sim.graphs().executables().writable(*call.executable());
  sim.graphs().executables().replace(*root.find_body(source), *body, root.after);
  return CUDA_SUCCESS;
}

CUresult Calls::cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                         CUgraphNodeParams* given) {
  if (given == nullptr || !unused_is_zero(*given)) return CUDA_ERROR_INVALID_VALUE;
  if (given->type == CU_GRAPH_NODE_TYPE_GRAPH)
    return cuGraphExecChildGraphNodeSetParams(exec, node, given->graph.graph);
  if (given->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || given->type == CU_GRAPH_NODE_TYPE_MEM_FREE)
    return CUDA_ERROR_NOT_SUPPORTED;
  return update(sim, exec, node, given->type, [&] { return make_params(sim, *given); });
}

}  // namespace harness::devices::calls
