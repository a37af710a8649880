// SPDX-License-Identifier: Apache-2.0
#include "scenarios/graph_argument/model/graphs.h"

#include <algorithm>

namespace scenarios::graph_argument {

ModelGraph& ModelGraphs::add(ModelGraph* parent, harness::BirthId life) {
  ModelGraph* graph = world_.arena.make<ModelGraph>();
  graph->parent = parent;
  graph->life = life;
  graphs_.push_back(graph);
  return *graph;
}

// Keeps the serials: an executable of the copy accepts updates by the nodes of the original.
ModelGraph& ModelGraphs::copy(const ModelGraph& graph, ModelGraph* parent) {
  ModelGraph& made = add(parent, harness::BirthId::none);
  made.nodes = graph.nodes;
  made.changed = graph.changed;
  made.endless = graph.endless;
  made.branch = graph.branch;
  made.spoilt = graph.spoilt;
  for (ModelNode& node : made.nodes)
    for (ModelGraph*& body : node.bodies)
      if (body != nullptr) body = &copy(*body, &made);
  return made;
}

ModelNode& ModelGraphs::add_node(ModelGraph& graph, ModelNode node, std::uint32_t after) {
  node.serial = ++serials_;
  const auto before = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                   [&](const ModelNode& each) { return each.serial == after; });
  if (before != graph.nodes.end())
    node.after = static_cast<std::size_t>(before - graph.nodes.begin()) + 1;
  graph.nodes.push_back(node);
  return graph.nodes.back();
}

void ModelGraphs::leave_memory(const ModelGraph& graph) {
  for (const ModelNode& node : graph.nodes)
    if (node.work == Work::allocation) settled_.push_back(node.serial);
}

bool ModelGraphs::is_settled(std::uint32_t allocation) const {
  return std::ranges::find(settled_, allocation) != settled_.end();
}

}  // namespace scenarios::graph_argument
