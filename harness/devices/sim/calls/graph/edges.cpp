// SPDX-License-Identifier: Apache-2.0
// The nodes of a graph and the edges between them.
#include <algorithm>

#include "harness/devices/sim/calls/graph.h"

namespace harness::devices::calls {

// ---- allowed places of nodes ------------------------------------------------------------------

static bool may_be_conditional(CUgraphNodeType type) {
  return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_EMPTY ||
         type == CU_GRAPH_NODE_TYPE_GRAPH || type == CU_GRAPH_NODE_TYPE_MEMSET ||
         type == CU_GRAPH_NODE_TYPE_MEMCPY || type == CU_GRAPH_NODE_TYPE_CONDITIONAL;
}

CUresult check_type(const Graph& graph, CUgraphNodeType type) {
  const bool memory = type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || type == CU_GRAPH_NODE_TYPE_MEM_FREE;
  if (memory && graph.owner != nullptr) return CUDA_ERROR_NOT_SUPPORTED;
  if (graph.is_conditional_body() && !may_be_conditional(type)) return CUDA_ERROR_NOT_SUPPORTED;
  return CUDA_SUCCESS;
}

// ---- edges ------------------------------------------------------------------------------------

static bool is_plain(const CUgraphEdgeData& data) {
  return data.from_port == 0 && data.to_port == 0 && data.type == 0;
}

bool is_valid(const GraphNode& from, const GraphNode* to, const CUgraphEdgeData& data) {
  const bool unused_is_zero = std::all_of(std::begin(data.reserved), std::end(data.reserved),
                                          [](auto b) { return b == 0; });
  if (!unused_is_zero || data.to_port != 0) return false;
  if (is_plain(data)) return true;
  const auto is_kernel = [](const GraphNode& node) {
    return node.params->type == CU_GRAPH_NODE_TYPE_KERNEL;
  };
  if (!is_kernel(from) || data.from_port > CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER) return false;
  if (data.type == CU_GRAPH_DEPENDENCY_TYPE_DEFAULT)
    return data.from_port != CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
  return data.type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC && data.from_port != 0 &&
         (to == nullptr || is_kernel(*to));
}

static GraphEdge* find_edge(GraphNode& to, const GraphNode& from) {
  for (GraphEdge& edge : to.after)
    if (edge.from == &from) return &edge;
  return nullptr;
}

bool find_edges(SimDevice& sim, const Graph& graph, const CUgraphNode* after,
                const CUgraphEdgeData* data, std::size_t count, std::vector<GraphEdge>& edges) {
  if (count > 0 && after == nullptr) return false;
  edges.clear();
  for (std::size_t i = 0; i < count; ++i) {
    GraphNode* from = sim.find(sim.graphs().definitions().nodes(), after[i], "graph node");
    if (from == nullptr || from->graph != &graph) return false;
    const CUgraphEdgeData edge = data != nullptr ? data[i] : CUgraphEdgeData{};
    const bool twice = std::any_of(edges.begin(), edges.end(),
                                   [&](const GraphEdge& known) { return known.from == from; });
    if (twice || !is_valid(*from, nullptr, edge)) return false;
    edges.push_back({from, edge});
  }
  return true;
}

/// Finds the nodes that the call names, which must belong to the graph.
static bool find_ends(SimDevice& sim, const Graph& graph, CUgraphNode from_handle,
                      CUgraphNode to_handle, GraphNode*& from, GraphNode*& to) {
  from = sim.find(sim.graphs().definitions().nodes(), from_handle, "graph node");
  to = sim.find(sim.graphs().definitions().nodes(), to_handle, "graph node");
  return from != nullptr && to != nullptr && from->graph == &graph && to->graph == &graph;
}

CUresult Calls::cuGraphAddDependencies_v2(CUgraph handle, const CUgraphNode* from_handles,
                                          const CUgraphNode* to_handles,
                                          const CUgraphEdgeData* data, size_t count) {
  const ChangingGraph call(sim, handle);
  if (call.graph() == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (count == 0) return CUDA_SUCCESS;
  if (from_handles == nullptr || to_handles == nullptr) return CUDA_ERROR_INVALID_VALUE;
  struct New {
    GraphNode* to;
    GraphEdge edge;
  };
  std::vector<New> found;
  for (std::size_t i = 0; i < count; ++i) {
    GraphNode* from = nullptr;
    GraphNode* to = nullptr;
    if (!find_ends(sim, *call.graph(), from_handles[i], to_handles[i], from, to))
      return CUDA_ERROR_INVALID_VALUE;
    const CUgraphEdgeData edge = data != nullptr ? data[i] : CUgraphEdgeData{};
    const bool twice = find_edge(*to, *from) != nullptr ||
                       std::any_of(found.begin(), found.end(), [&](const New& known) {
                         return known.to == to && known.edge.from == from;
                       });
    if (from == to || twice || !is_valid(*from, to, edge)) return CUDA_ERROR_INVALID_VALUE;
    found.push_back({to, {from, edge}});
  }
  for (const New& edge : found) edge.to->after.push_back(edge.edge);
  return CUDA_SUCCESS;
}

// According to cuda.h, an edge is removed only if its data is equal. Drivers ignore the data.
CUresult Calls::cuGraphRemoveDependencies_v2(CUgraph handle, const CUgraphNode* from_handles,
                                             const CUgraphNode* to_handles, const CUgraphEdgeData*,
                                             size_t count) {
  const ChangingGraph call(sim, handle);
  if (call.graph() == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (count == 0) return CUDA_SUCCESS;
  if (from_handles == nullptr || to_handles == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (call.graph()->has_memory_nodes()) return CUDA_ERROR_NOT_SUPPORTED;
  for (int pass = 0; pass < 2; ++pass) {  // Removes all of them, or none.
    for (std::size_t i = 0; i < count; ++i) {
      GraphNode* from = nullptr;
      GraphNode* to = nullptr;
      if (!find_ends(sim, *call.graph(), from_handles[i], to_handles[i], from, to))
        return CUDA_ERROR_INVALID_VALUE;
      const GraphEdge* edge = find_edge(*to, *from);
      if (edge == nullptr) return CUDA_ERROR_INVALID_VALUE;
      if (pass == 1) to->after.erase(to->after.begin() + (edge - to->after.data()));
    }
  }
  return CUDA_SUCCESS;
}

// ---- listing ----------------------------------------------------------------------------------

/// Copies as many of the nodes as there is room for, and returns their number in `count`.
static CUresult list_nodes(std::span<GraphNode* const> found, CUgraphNode* nodes, size_t* count) {
  if (nodes != nullptr) {
    for (std::size_t i = 0; i < *count; ++i)
      nodes[i] = i < found.size() ? found[i]->as<CUgraphNode>() : nullptr;
    *count = std::min(*count, found.size());
  } else {
    *count = found.size();
  }
  return CUDA_SUCCESS;
}

CUresult Calls::cuGraphGetNodes(CUgraph handle, CUgraphNode* nodes, size_t* count) {
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Graph* graph = look_at(sim, handle);
  return graph != nullptr ? list_nodes(graph->nodes, nodes, count) : CUDA_ERROR_INVALID_VALUE;
}

CUresult Calls::cuGraphGetRootNodes(CUgraph handle, CUgraphNode* nodes, size_t* count) {
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Graph* graph = look_at(sim, handle);
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::vector<GraphNode*> roots;
  for (GraphNode* node : graph->nodes)
    if (node->after.empty()) roots.push_back(node);
  return list_nodes(roots, nodes, count);
}

struct FullEdge {
  GraphNode* from;
  GraphNode* to;
  CUgraphEdgeData data;
};

/// `from` and `to` may be null if the caller does not need that end.
static CUresult list_edges(std::span<const FullEdge> found, CUgraphNode* from, CUgraphNode* to,
                           CUgraphEdgeData* data, size_t* count) {
  if (data == nullptr && (from != nullptr || to != nullptr)) {
    const auto loses = [](const FullEdge& edge) { return !is_plain(edge.data); };
    if (std::any_of(found.begin(), found.end(), loses)) return CUDA_ERROR_LOSSY_QUERY;
  }
  if (from == nullptr && to == nullptr) {
    *count = found.size();
    return CUDA_SUCCESS;
  }
  for (std::size_t i = 0; i < *count; ++i) {
    const FullEdge* edge = i < found.size() ? &found[i] : nullptr;
    if (from != nullptr) from[i] = edge != nullptr ? edge->from->as<CUgraphNode>() : nullptr;
    if (to != nullptr) to[i] = edge != nullptr ? edge->to->as<CUgraphNode>() : nullptr;
    if (data != nullptr && edge != nullptr) data[i] = edge->data;
  }
  *count = std::min(*count, found.size());
  return CUDA_SUCCESS;
}

CUresult Calls::cuGraphGetEdges_v2(CUgraph handle, CUgraphNode* from, CUgraphNode* to,
                                   CUgraphEdgeData* data, size_t* count) {
  const bool one_end = (from == nullptr) != (to == nullptr);
  if (count == nullptr || one_end || (data != nullptr && from == nullptr))
    return CUDA_ERROR_INVALID_VALUE;
  const Graph* graph = look_at(sim, handle);
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::vector<FullEdge> edges;
  for (GraphNode* node : graph->nodes)
    for (const GraphEdge& edge : node->after) edges.push_back({edge.from, node, edge.data});
  return list_edges(edges, from, to, data, count);
}

CUresult Calls::cuGraphNodeGetDependencies_v2(CUgraphNode handle, CUgraphNode* nodes,
                                              CUgraphEdgeData* data, size_t* count) {
  if (count == nullptr || (data != nullptr && nodes == nullptr)) return CUDA_ERROR_INVALID_VALUE;
  GraphNode* node = look_at(sim, handle);
  if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::vector<FullEdge> edges;
  edges.reserve(node->after.size());
  for (const GraphEdge& edge : node->after) edges.push_back({edge.from, node, edge.data});
  return list_edges(edges, nodes, nullptr, data, count);
}

CUresult Calls::cuGraphNodeGetDependentNodes_v2(CUgraphNode handle, CUgraphNode* nodes,
                                                CUgraphEdgeData* data, size_t* count) {
  if (count == nullptr || (data != nullptr && nodes == nullptr)) return CUDA_ERROR_INVALID_VALUE;
  GraphNode* node = look_at(sim, handle);
  if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::vector<FullEdge> edges;
  for (GraphNode* other : node->graph->nodes)
    for (const GraphEdge& edge : other->after)
      if (edge.from == node) edges.push_back({node, other, edge.data});
  return list_edges(edges, nullptr, nodes, data, count);
}

}  // namespace harness::devices::calls
