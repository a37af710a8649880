// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/graphs/definitions.h"

#include <algorithm>

#include "harness/devices/sim/sim_device.h"

namespace harness::devices {

void GraphDefinitions::begin() {
  graphs_.begin();
  nodes_.begin();
  params_.begin();
  attributes_.begin();
}

// ---- graphs -----------------------------------------------------------------------------------

Graph& GraphDefinitions::create(Label kind) { return graphs_.add(sim_.ledger(), kind); }

NodeParams& GraphDefinitions::fresh_params(CUgraphNodeType type, Label label) {
  NodeParams& params = params_.next();
  params.reset(type, label, {sim_.scheduler().site(), sim_.world().picker.current().name});
  return params;
}

KernelAttributes& GraphDefinitions::fresh_attributes(const KernelAttributes& old) {
  return attributes_.next() = old;
}

GraphNode& GraphDefinitions::add(Graph& graph, const NodeParams& params,
                                 std::span<const GraphEdge> after) {
  GraphNode& node = nodes_.add(sim_.ledger(), "graph node");
  node.graph = &graph;
  node.params = &params;
  node.after.assign(after.begin(), after.end());
  graph.nodes.push_back(&node);
  return node;
}

GraphNode& GraphDefinitions::add_moved(Graph& graph, Graph& body,
                                       std::span<const GraphEdge> after) {
  GraphNode& node = add(graph, fresh_params(CU_GRAPH_NODE_TYPE_GRAPH, "child graph"), after);
  node.bodies.push_back(&body);
  body.owner = &node;
  body.moved = true;
  return node;
}

GraphNode& GraphDefinitions::add_conditional(Graph& graph, const NodeParams& params, unsigned count,
                                             std::span<const GraphEdge> after) {
  GraphNode& node = add(graph, params, after);
  params.conditional->node = &node;
  for (unsigned i = 0; i < count; ++i) {
    Graph& body = create("embedded graph");
    body.owner = &node;
    node.bodies.push_back(&body);
    node.body_handles.push_back(body.as<CUgraph>());
  }
  return node;
}

GraphNode& GraphDefinitions::add_child(Graph& graph, Graph& body,
                                       std::span<const GraphEdge> after) {
  const NodeParams& params = fresh_params(CU_GRAPH_NODE_TYPE_GRAPH, "child graph");
  GraphNode& node = add(graph, params, after);
  node.bodies.push_back(&clone(body, &node));
  return node;
}

Graph& GraphDefinitions::clone(const Graph& graph, GraphNode* owner) {
  Graph& made = create(owner != nullptr ? Label("embedded graph") : Label("graph"));
  made.owner = owner;
  sim_.graphs().user_objects().copy(graph.references, made.references);
  std::uint32_t index = 0;
  for (GraphNode* node : graph.nodes) node->index = index++;
  for (const GraphNode* node : graph.nodes) {
    GraphNode& copy = add(made, *node->params, {});
    copy.original = node;
    copy.attributes = node->attributes;
    for (Graph* body : node->bodies) copy.bodies.push_back(&clone(*body, &copy));
  }
  // Edges may lead to nodes that were added later, so that all nodes must exist.
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    for (const GraphEdge& edge : graph.nodes[i]->after)
      made.nodes[i]->after.push_back({made.nodes[edge.from->index], edge.data});
  return made;
}

void GraphDefinitions::destroy(Graph& graph) {
  while (!graph.nodes.empty()) destroy(*graph.nodes.back());
  sim_.graphs().user_objects().release(graph.references);
  graphs_.end(sim_.ledger(), graph);
}

void GraphDefinitions::destroy(GraphNode& node) {
  if (node.params->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
    sim_.graphs().allocations().drop(*node.params->memory);
  if (node.params->conditional != nullptr) node.params->conditional->node = nullptr;
  for (Graph* body : node.bodies) destroy(*body);
  std::vector<GraphNode*>& siblings = node.graph->nodes;
  siblings.erase(std::find(siblings.begin(), siblings.end(), &node));
  for (GraphNode* other : siblings)
    std::erase_if(other->after, [&](const GraphEdge& edge) { return edge.from == &node; });
  nodes_.end(sim_.ledger(), node);
}

}  // namespace harness::devices
