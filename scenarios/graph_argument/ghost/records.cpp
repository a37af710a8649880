#include "scenarios/graph_argument/ghost/records.h"

#include <algorithm>

namespace scenarios::graph_argument {

bool uses(const GhostNodes& nodes, const GhostThing& thing) {
  return std::any_of(nodes.begin(), nodes.end(), [&](const GhostNode& node) {
    return node.points_into(thing) ||
           std::any_of(node.bodies.begin(), node.bodies.end(), [&](const GhostGraph* body) {
             return body != nullptr && uses(body->nodes, thing);
           });
  });
}

bool works_on(const GhostNodes& nodes, const GhostThing& thing) {
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const GhostNode& node) { return !node.idle && node.points_into(thing); });
}

GhostGraph& GhostRecords::add_graph(GhostGraph* parent) {
  graphs_.push_back(arena_.make<GhostGraph>());
  graphs_.back()->parent = parent;
  return *graphs_.back();
}

GhostMemory& GhostRecords::add_memory(NodeId allocation, const GhostGraph& graph) {
  return *memories_.emplace_back(arena_.make<GhostMemory>(GhostMemory{allocation, &graph}));
}

GhostMemory& GhostRecords::memory_of(NodeId allocation) const {
  const auto found =
      std::find_if(memories_.begin(), memories_.end(),
                   [&](const GhostMemory* memory) { return memory->allocation == allocation; });
  HARNESS_CHECK(found != memories_.end(), "a node that was added allocates it");
  return **found;
}

}  // namespace scenarios::graph_argument
