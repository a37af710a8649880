#include "harness/devices/sim/graphs/executable.h"

#include <algorithm>

namespace harness::devices {

static bool is_memory(CUgraphNodeType type) {
  return type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || type == CU_GRAPH_NODE_TYPE_MEM_FREE;
}

bool ExecutablePlan::has_memory_nodes() const {
  const auto is_one = [](const PlanNode& node) { return is_memory(node.params->type); };
  const auto has_one = [](const ExecutablePlan* body) { return body->has_memory_nodes(); };
  return std::any_of(nodes.begin(), nodes.end(), is_one) ||
         std::any_of(bodies.begin(), bodies.end(), has_one);
}

bool ExecutablePlan::has_conditional_nodes() const {
  const auto is_one = [](const PlanNode& node) {
    return node.params->type == CU_GRAPH_NODE_TYPE_CONDITIONAL;
  };
  const auto has_one = [](const ExecutablePlan* body) { return body->has_conditional_nodes(); };
  return std::any_of(nodes.begin(), nodes.end(), is_one) ||
         std::any_of(bodies.begin(), bodies.end(), has_one);
}

PlanNode* ExecutablePlan::find(const GraphNode& source) {
  for (PlanNode& node : nodes)
    if (node.source == &source) return &node;
  for (ExecutablePlan* body : bodies)
    if (PlanNode* node = body->find(source)) return node;
  return nullptr;
}

ExecutablePlan* ExecutablePlan::find_body(const GraphNode& source) {
  for (const PlanNode& node : nodes)
    if (node.source == &source) return bodies_of(node).front();
  for (ExecutablePlan* body : bodies)
    if (ExecutablePlan* found = body->find_body(source)) return found;
  return nullptr;
}

}  // namespace harness::devices
