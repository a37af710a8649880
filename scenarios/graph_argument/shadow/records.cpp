// SPDX-License-Identifier: Apache-2.0
#include "scenarios/graph_argument/shadow/records.h"

#include <algorithm>

namespace scenarios::graph_argument {

bool uses(const ShadowNodes& nodes, const ShadowThing& thing) {
  return std::any_of(nodes.begin(), nodes.end(), [&](const ShadowNode& node) {
    return node.points_into(thing) ||
           std::any_of(node.bodies.begin(), node.bodies.end(), [&](const ShadowGraph* body) {
             return body != nullptr && uses(body->nodes, thing);
           });
  });
}

bool works_on(const ShadowNodes& nodes, const ShadowThing& thing) {
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const ShadowNode& node) { return !node.idle && node.points_into(thing); });
}

ShadowGraph& ShadowRecords::add_graph(ShadowGraph* parent) {
  graphs_.push_back(arena_.make<ShadowGraph>());
  graphs_.back()->parent = parent;
  return *graphs_.back();
}

ShadowMemory& ShadowRecords::add_memory(NodeId allocation, const ShadowGraph& graph) {
  return *memories_.emplace_back(arena_.make<ShadowMemory>(ShadowMemory{allocation, &graph}));
}

ShadowMemory& ShadowRecords::memory_of(NodeId allocation) const {
  const auto found =
      std::find_if(memories_.begin(), memories_.end(),
                   [&](const ShadowMemory* memory) { return memory->allocation == allocation; });
  HARNESS_CHECK(found != memories_.end(), "a node that was added allocates it");
  return **found;
}

}  // namespace scenarios::graph_argument
