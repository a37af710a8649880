// SPDX-License-Identifier: Apache-2.0
#include "targets/graph_argument/loops.h"

#include <algorithm>

namespace targets::graph_argument {

Loops::Graph& Loops::at(GraphId id) {
  const std::size_t index = harness::raw(id);
  if (index >= graphs_.size()) graphs_.resize(index + 1);
  if (graphs_[index] == nullptr) graphs_[index] = arena_.make<Graph>();
  return *graphs_[index];
}

void Loops::node_added(GraphId graph, NodeId node, const NodeFacts& facts) {
  if (facts.work == Work::leave) at(graph).leaves = true;
  if (facts.bodies[0] == GraphId::none) return;
  Node added{node, facts.work == Work::while_loop && facts.branch == 0, {}};
  for (std::size_t i = 0; i < added.bodies.size(); ++i)
    if (facts.bodies[i] != GraphId::none) added.bodies[i] = &at(facts.bodies[i]);
  at(graph).nodes.push_back(added);
}

void Loops::node_destroyed(GraphId graph, NodeId node) {
  std::erase_if(at(graph).nodes, [&](const Node& each) { return each.id == node; });
}

void Loops::graph_copied(GraphId made, GraphId from) { at(made) = copy(at(from)); }

Loops::Graph& Loops::copy(const Graph& graph) {
  Graph& made = *arena_.make<Graph>(graph);
  for (Node& node : made.nodes)
    for (Graph*& body : node.bodies)
      if (body != nullptr) body = &copy(*body);
  return made;
}

bool Loops::never_end(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
    return (node.loops && !node.bodies[0]->leaves) ||
           std::any_of(node.bodies.begin(), node.bodies.end(),
                       [](const Graph* body) { return body != nullptr && never_end(*body); });
  });
}

}  // namespace targets::graph_argument
