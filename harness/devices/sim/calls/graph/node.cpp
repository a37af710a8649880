// SPDX-License-Identifier: Apache-2.0
// Nodes: added to graphs, and their parameters.
#include <algorithm>
#include <cstring>

#include "harness/devices/sim/calls/graph.h"

namespace harness::devices::calls {

// ---- any type ---------------------------------------------------------------------------------

const NodeParams* params_of(SimDevice& sim, CUgraphNode handle, CUgraphNodeType type) {
  const GraphNode* node = look_at(sim, handle);
  return node != nullptr && node->params->type == type ? node->params : nullptr;
}

/// Returns whether the graph, or a graph inside it, has a condition that no node uses.
static bool has_unused_conditions(SimDevice& sim, const Graph& graph) {
  const auto has_inside = [&](const GraphNode* node) {
    return std::ranges::any_of(
        node->bodies, [&](const Graph* body) { return has_unused_conditions(sim, *body); });
  };
  return sim.graphs().conditions().has_unused(graph) ||
         std::ranges::any_of(graph.nodes, has_inside);
}

/// Returns the graph that a child graph node may hold, as a copy or moved into it.
/// Source of the errors: driver 580.
static Found<Graph> find_body(SimDevice& sim, const Graph& graph, CUgraph handle, bool move) {
  Graph* body = look_at(sim, handle);
  if (body == nullptr || &body->root() == &graph.root()) return CUDA_ERROR_INVALID_VALUE;
  if (body->has_conditional_nodes() || has_unused_conditions(sim, *body) ||
      body->is_conditional_body())
    return CUDA_ERROR_NOT_SUPPORTED;
  if (body->moved) return CUDA_ERROR_INVALID_VALUE;  // Another node has taken it.
  if (!move && body->has_memory_nodes()) return CUDA_ERROR_NOT_SUPPORTED;
  if (move && (body->owner != nullptr || body->exec_count != 0)) return CUDA_ERROR_INVALID_VALUE;
  return *body;
}

static CUresult add_child(SimDevice& sim, const NewNode& where, CUgraph body_handle, bool move) {
  return add_node(sim, where,
                  [&](Graph& graph, std::span<const GraphEdge> edges) -> Found<GraphNode> {
                    const Found<Graph> body = find_body(sim, graph, body_handle, move);
                    if (!body) return body.error();
                    return move ? sim.graphs().definitions().add_moved(graph, *body, edges)
                                : sim.graphs().definitions().add_child(graph, *body, edges);
                  });
}

/// Returns how many bytes of the union a node of this type uses.
static std::size_t used_bytes(const CUgraphNodeParams& given) {
  switch (given.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return sizeof given.kernel;
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return sizeof given.memcpy;
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return sizeof given.memset;
    case CU_GRAPH_NODE_TYPE_HOST:
      return sizeof given.host;
    case CU_GRAPH_NODE_TYPE_GRAPH:
      return sizeof given.graph;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return sizeof given.eventWait;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return sizeof given.eventRecord;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
      return sizeof given.alloc;
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      return sizeof given.free;
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
      return sizeof given.memOp;
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      return sizeof given.conditional;
    case CU_GRAPH_NODE_TYPE_EMPTY:
      return 0;
    default:
      return sizeof given.reserved1;
  }
}

bool unused_is_zero(const CUgraphNodeParams& given) {
  const auto is_zero = [](auto byte) { return byte == decltype(byte){}; };
  const auto* bytes = reinterpret_cast<const std::byte*>(given.reserved1);
  return std::all_of(std::begin(given.reserved0), std::end(given.reserved0), is_zero) &&
         std::all_of(bytes + used_bytes(given), bytes + sizeof given.reserved1, is_zero) &&
         given.reserved2 == 0;
}

/// The newer struct has the same members.
static CUresult add_alloc_v2(SimDevice& sim, const NewNode& where,
                             CUDA_MEM_ALLOC_NODE_PARAMS_v2& given) {
  CUDA_MEM_ALLOC_NODE_PARAMS same{given.poolProps, given.accessDescs, given.accessDescCount,
                                  given.bytesize, given.dptr};
  const CUresult status = add_alloc(sim, where, same);
  given.dptr = same.dptr;
  return status;
}

CUresult Calls::cuGraphAddNode_v2(CUgraphNode* created, CUgraph graph, const CUgraphNode* after,
                                  const CUgraphEdgeData* data, size_t after_count,
                                  CUgraphNodeParams* given) {
  if (given == nullptr || !unused_is_zero(*given)) return CUDA_ERROR_INVALID_VALUE;
  const NewNode where{created, graph, given->type, after, data, after_count};
  switch (given->type) {
    case CU_GRAPH_NODE_TYPE_GRAPH:
      if (given->graph.ownership != CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE &&
          given->graph.ownership != CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE)
        return CUDA_ERROR_INVALID_VALUE;
      return add_child(sim, where, given->graph.graph,
                       given->graph.ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
      return add_alloc_v2(sim, where, given->alloc);
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      return add_free(sim, where, given->free.dptr);
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      return add_conditional(sim, where, given->conditional);
    default:
      return add_params(sim, {created, graph, given->type, after, data, after_count},
                        [&] { return make_params(sim, *given); });
  }
}

CUresult Calls::cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams* given) {
  if (given == nullptr || !unused_is_zero(*given)) return CUDA_ERROR_INVALID_VALUE;
  if (given->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || given->type == CU_GRAPH_NODE_TYPE_MEM_FREE)
    return CUDA_ERROR_NOT_SUPPORTED;
  return set_params(sim, node, given->type, [&] { return make_params(sim, *given); });
}

CUresult Calls::cuGraphNodeGetType(CUgraphNode handle, CUgraphNodeType* type) {
  if (type == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const GraphNode* node = look_at(sim, handle);
  if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *type = node->params->type;
  return CUDA_SUCCESS;
}

CUresult Calls::cuGraphDestroyNode(CUgraphNode handle) {
  if (const GraphNode* dead = sim.graphs().definitions().nodes().find(handle);
      dead != nullptr && !dead->alive) {
    sim.ledger().double_free(dead->birth);
    return CUDA_ERROR_INVALID_VALUE;
  }
  const ChangingGraph call(sim, handle);
  if (call.node() == nullptr || is_being_filled(sim, *call.graph()))
    return CUDA_ERROR_INVALID_VALUE;
  if (call.graph()->has_memory_nodes()) return CUDA_ERROR_NOT_SUPPORTED;
  sim.graphs().definitions().destroy(*call.node());
  return CUDA_SUCCESS;
}

// ---- empty, the host, events, child graphs ----------------------------------------------------

CUresult Calls::cuGraphAddEmptyNode(CUgraphNode* created, CUgraph graph, const CUgraphNode* after,
                                    size_t after_count) {
  return add_params(
      sim, {created, graph, CU_GRAPH_NODE_TYPE_EMPTY, after, nullptr, after_count}, [&] {
        return Found<const NodeParams>(
            sim.graphs().definitions().fresh_params(CU_GRAPH_NODE_TYPE_EMPTY, "empty"));
      });
}

CUresult Calls::cuGraphAddHostNode(CUgraphNode* created, CUgraph graph, const CUgraphNode* after,
                                   size_t after_count, const CUDA_HOST_NODE_PARAMS* given) {
  if (given == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add_params(sim, {created, graph, CU_GRAPH_NODE_TYPE_HOST, after, nullptr, after_count},
                    [&] { return make_host_params(sim, *given); });
}

CUresult Calls::cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS* params) {
  const NodeParams* found = params_of(sim, node, CU_GRAPH_NODE_TYPE_HOST);
  if (params == nullptr || found == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *params = found->host;
  return CUDA_SUCCESS;
}

CUresult Calls::cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS* given) {
  if (given == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return set_params(sim, node, CU_GRAPH_NODE_TYPE_HOST,
                    [&] { return make_host_params(sim, *given); });
}

template <CUgraphNodeType kType>
static CUresult add_event(SimDevice& sim, CUgraphNode* created, CUgraph graph,
                          const CUgraphNode* after, size_t after_count, CUevent event) {
  return add_params(sim, {created, graph, kType, after, nullptr, after_count},
                    [&] { return make_event_params(sim, kType, event); });
}

template <CUgraphNodeType kType>
static CUresult get_event(SimDevice& sim, CUgraphNode node, CUevent* event) {
  const NodeParams* found = params_of(sim, node, kType);
  if (event == nullptr || found == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *event = found->event->as<CUevent>();
  return CUDA_SUCCESS;
}

template <CUgraphNodeType kType>
static CUresult set_event(SimDevice& sim, CUgraphNode node, CUevent event) {
  return set_params(sim, node, kType, [&] { return make_event_params(sim, kType, event); });
}

CUresult Calls::cuGraphAddEventRecordNode(CUgraphNode* created, CUgraph graph,
                                          const CUgraphNode* after, size_t after_count,
                                          CUevent event) {
  return add_event<CU_GRAPH_NODE_TYPE_EVENT_RECORD>(sim, created, graph, after, after_count, event);
}
CUresult Calls::cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent* event) {
  return get_event<CU_GRAPH_NODE_TYPE_EVENT_RECORD>(sim, node, event);
}
CUresult Calls::cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
  return set_event<CU_GRAPH_NODE_TYPE_EVENT_RECORD>(sim, node, event);
}

CUresult Calls::cuGraphAddEventWaitNode(CUgraphNode* created, CUgraph graph,
                                        const CUgraphNode* after, size_t after_count,
                                        CUevent event) {
  return add_event<CU_GRAPH_NODE_TYPE_WAIT_EVENT>(sim, created, graph, after, after_count, event);
}
CUresult Calls::cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent* event) {
  return get_event<CU_GRAPH_NODE_TYPE_WAIT_EVENT>(sim, node, event);
}
CUresult Calls::cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
  return set_event<CU_GRAPH_NODE_TYPE_WAIT_EVENT>(sim, node, event);
}

CUresult Calls::cuGraphAddChildGraphNode(CUgraphNode* created, CUgraph graph,
                                         const CUgraphNode* after, size_t after_count,
                                         CUgraph body) {
  return add_child(sim, {created, graph, CU_GRAPH_NODE_TYPE_GRAPH, after, nullptr, after_count},
                   body, false);
}

CUresult Calls::cuGraphChildGraphNodeGetGraph(CUgraphNode handle, CUgraph* body) {
  const GraphNode* node = look_at(sim, handle);
  if (body == nullptr || node == nullptr || node->params->type != CU_GRAPH_NODE_TYPE_GRAPH)
    return CUDA_ERROR_INVALID_VALUE;
  *body = node->bodies.front()->as<CUgraph>();
  return CUDA_SUCCESS;
}

// ---- memory operations ------------------------------------------------------------------------

CUresult Calls::cuGraphAddBatchMemOpNode(CUgraphNode* created, CUgraph graph,
                                         const CUgraphNode* after, size_t after_count,
                                         const CUDA_BATCH_MEM_OP_NODE_PARAMS* given) {
  if (given == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add_params(sim,
                    {created, graph, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, after, nullptr, after_count},
                    [&] { return make_memory_op_params(sim, *given); });
}

CUresult Calls::cuGraphBatchMemOpNodeGetParams(CUgraphNode node,
                                               CUDA_BATCH_MEM_OP_NODE_PARAMS* params) {
  const NodeParams* found = params_of(sim, node, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
  if (params == nullptr || found == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *params = found->batch;
  return CUDA_SUCCESS;
}

CUresult Calls::cuGraphBatchMemOpNodeSetParams(CUgraphNode node,
                                               const CUDA_BATCH_MEM_OP_NODE_PARAMS* given) {
  if (given == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return set_params(sim, node, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
                    [&] { return make_memory_op_params(sim, *given); });
}

}  // namespace harness::devices::calls
