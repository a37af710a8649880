// SPDX-License-Identifier: Apache-2.0
#include "scenarios/graph_argument/shadow/graphs.h"

#include <algorithm>

namespace scenarios::graph_argument {

void ShadowGraphs::handle_born(std::uint64_t handle) {
  if (std::erase(dead_handles_, handle) > 0) passages_.reach(Window::handle_reused);
}

bool ShadowGraphs::is_dead(std::uint64_t handle) const {
  return std::find(dead_handles_.begin(), dead_handles_.end(), handle) != dead_handles_.end();
}

void ShadowGraphs::graph_made(GraphId, GraphId parent) {
  records_.number(records_.add_graph(records_.find(parent)));
}

// Keeps the node ids: an executable of the clone accepts updates by the nodes of the original.
ShadowGraph& ShadowGraphs::clone(const ShadowGraph& graph, ShadowGraph* parent) {
  ShadowGraph& copy = records_.add_graph(parent);
  copy.nodes = graph.nodes;
  copy.ever = graph.ever;
  for (ShadowNode& node : copy.nodes)
    for (ShadowGraph*& body : node.bodies)
      if (body != nullptr) body = &clone(*body, &copy);
  return copy;
}

void ShadowGraphs::graph_cloned(GraphId, GraphId from, GraphId parent) {
  ShadowGraph* around = records_.find(parent);
  ShadowGraph& copy = clone(records_.at(from), around);
  records_.number(copy);
  if (around != nullptr)
    around->ever.insert(around->ever.end(), copy.ever.begin(), copy.ever.end());
}

void ShadowGraphs::graph_dropped(GraphId id) {
  ShadowGraph& graph = records_.at(id);
  graph.gone = true;
  if (users_.let_go(graph.nodes)) passages_.reach(Window::dropped_in_callback);
}

// ---- nodes --------------------------------------------------------------------------------------

ShadowNode* ShadowGraphs::find(ShadowGraph& graph, NodeId id) {
  const auto found = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                  [&](const ShadowNode& node) { return node.id == id; });
  return found != graph.nodes.end() ? &*found : nullptr;
}

void ShadowGraphs::node_added(GraphId id, NodeId added, const NodeFacts& facts) {
  ShadowGraph& graph = records_.at(id);
  ShadowNode node{.work = facts.work,
                  .id = added,
                  .things = records_.find(facts.things),
                  .helper = records_.find(facts.helper),
                  .branch = facts.branch,
                  .by_address = facts.by_address};
  for (std::size_t i = 0; i < node.bodies.size(); ++i)
    if (facts.bodies[i] != GraphId::none) node.bodies[i] = &records_.at(facts.bodies[i]);
  if (facts.work == Work::allocation) node.memory = &records_.add_memory(added, graph);
  for (ShadowThing* thing : node.all())
    if (thing != nullptr) graph.ever.push_back(thing);
  graph.nodes.push_back(node);
}

void ShadowGraphs::node_attached(GraphId graph, NodeId id, bool well) {
  if (!well) passages_.reach(Window::attachment_failed);
  if (ShadowNode* node = find(records_.at(graph), id)) node->unowned = !well;
}

void ShadowGraphs::node_changed(GraphId id, NodeId changed, const Things& given) {
  ShadowGraph& graph = records_.at(id);
  const std::array<ShadowThing*, 2> things = records_.find(given);
  ShadowNode* node = find(graph, changed);
  if (node == nullptr) return;
  for (const ShadowThing* thing : node->things)
    if (std::find(things.begin(), things.end(), thing) == things.end())
      graph.lost.push_back({changed, thing});
  node->things = things;
  for (ShadowThing* thing : things)
    if (thing != nullptr) graph.ever.push_back(thing);
}

void ShadowGraphs::node_destroyed(GraphId id, NodeId destroyed) {
  ShadowGraph& graph = records_.at(id);
  if (const ShadowNode* node = find(graph, destroyed))
    for (const ShadowThing* thing : node->all())
      if (thing != nullptr) graph.lost.push_back({destroyed, thing});
  std::erase_if(graph.nodes, [&](const ShadowNode& node) { return node.id == destroyed; });
}

// ---- memory of graphs ---------------------------------------------------------------------------

void ShadowGraphs::frees(GraphId graph, NodeId allocation) {
  const ShadowMemory& memory = records_.memory_of(allocation);
  if (memory.graph != &records_.at(graph) || memory.freed_in != nullptr)
    passages_.reach(Window::graph_memory_misused);
}

void ShadowGraphs::freed(GraphId graph, NodeId allocation) {
  records_.memory_of(allocation).freed_in = &records_.at(graph);
}

void ShadowGraphs::works_in(GraphId graph, NodeId allocation) {
  const ShadowMemory& memory = records_.memory_of(allocation);
  if (memory.graph != &records_.at(graph) || memory.freed_in == &records_.at(graph))
    passages_.reach(Window::graph_memory_misused);
}

}  // namespace scenarios::graph_argument
