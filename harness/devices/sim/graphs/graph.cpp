// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/graphs/graph.h"

#include <algorithm>

namespace harness::devices {

bool Graph::is_conditional_body() const {
  return owner != nullptr && (owner->params->type == CU_GRAPH_NODE_TYPE_CONDITIONAL ||
                              owner->graph->is_conditional_body());
}

bool Graph::has_conditional_nodes() const {
  return std::any_of(nodes.begin(), nodes.end(), [](const GraphNode* node) {
    return node->params->type == CU_GRAPH_NODE_TYPE_CONDITIONAL ||
           std::any_of(node->bodies.begin(), node->bodies.end(),
                       [](const Graph* body) { return body->has_conditional_nodes(); });
  });
}

bool Graph::has_memory_nodes() const {
  for (const GraphNode* node : nodes) {
    if (node->params->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC ||
        node->params->type == CU_GRAPH_NODE_TYPE_MEM_FREE)
      return true;
    for (const Graph* body : node->bodies)
      if (body->has_memory_nodes()) return true;
  }
  return false;
}

std::vector<GraphNode*> sorted(const Graph& graph) {
  const std::size_t count = graph.nodes.size();
  std::vector<GraphNode*> order;
  order.reserve(count);
  constexpr std::uint32_t kUnplaced = ~0u;
  for (GraphNode* node : graph.nodes) node->index = kUnplaced;
  for (bool moved = true; moved && order.size() < count;) {
    moved = false;
    for (GraphNode* node : graph.nodes) {
      const bool ready = node->index == kUnplaced &&
                         std::all_of(node->after.begin(), node->after.end(),
                                     [](const GraphEdge& e) { return e.from->index != kUnplaced; });
      if (!ready) continue;
      node->index = static_cast<std::uint32_t>(order.size());
      order.push_back(node);
      moved = true;
    }
  }
  return order;
}

GraphNode* find_cycle(Graph& graph) {
  const std::vector<GraphNode*> order = sorted(graph);
  for (GraphNode* node : graph.nodes)
    if (node->index == ~0u) return node;
  for (GraphNode* node : order)
    for (Graph* body : node->bodies)
      if (GraphNode* found = find_cycle(*body)) return found;
  return nullptr;
}

}  // namespace harness::devices
