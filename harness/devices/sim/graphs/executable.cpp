// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/graphs/executable.h"

namespace harness::devices {

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
