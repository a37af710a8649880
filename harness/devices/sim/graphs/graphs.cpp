// Graphs and their nodes: making, cloning and destroying them.
#include "harness/devices/sim/graphs/graphs.h"

#include <algorithm>

#include "harness/devices/sim/sim_device.h"

namespace harness::devices {

void Graphs::begin() {
  graphs.begin();
  nodes.begin();
  execs.begin();
  objects.begin();
  params_.begin();
  attributes_.begin();
  memories_.begin();
  freed_memory_.clear();
  counters = {};
  conditionals_.clear();
  conditional_storage_.begin();
  exec_graphs_.begin();
  spare_exec_graphs_.clear();
  runs_.begin();
  spare_runs_.clear();
  released_.clear();
  destructor_task_ = TaskId::none;
  in_destructor_ = false;
}

// ---- graphs -----------------------------------------------------------------------------------

Graph& Graphs::create(Label kind) { return graphs.add(sim_.ledger(), kind); }

NodeParams& Graphs::fresh_params(CUgraphNodeType type, Label label) {
  NodeParams& params = params_.next();
  params.reset(type, label, sim_.scheduler().site());
  return params;
}

KernelAttributes& Graphs::fresh_attributes(const KernelAttributes& old) {
  return attributes_.next() = old;
}

GraphNode& Graphs::add(Graph& graph, const NodeParams& params, std::span<const GraphEdge> after) {
  GraphNode& node = nodes.add(sim_.ledger(), "graph node");
  node.graph = &graph;
  node.params = &params;
  node.after.assign(after.begin(), after.end());
  graph.nodes.push_back(&node);
  return node;
}

GraphNode& Graphs::add_moved(Graph& graph, Graph& body, std::span<const GraphEdge> after) {
  GraphNode& node = add(graph, fresh_params(CU_GRAPH_NODE_TYPE_GRAPH, "child graph"), after);
  node.bodies.push_back(&body);
  body.owner = &node;
  body.moved = true;
  return node;
}

GraphNode& Graphs::add_conditional(Graph& graph, const NodeParams& params, unsigned count,
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

GraphNode& Graphs::add_child(Graph& graph, Graph& body, std::span<const GraphEdge> after) {
  const NodeParams& params = fresh_params(CU_GRAPH_NODE_TYPE_GRAPH, "child graph");
  GraphNode& node = add(graph, params, after);
  node.bodies.push_back(&clone(body, &node));
  return node;
}

GraphNode& Graphs::add_child(Graph& graph, const ExecGraph& body,
                             std::span<const GraphEdge> after) {
  GraphNode& node = add(graph, fresh_params(CU_GRAPH_NODE_TYPE_GRAPH, "child graph"), after);
  node.bodies.push_back(&clone(body, node));
  return node;
}

Graph& Graphs::clone(const Graph& graph, GraphNode* owner) {
  Graph& made = create(owner != nullptr ? Label("embedded graph") : Label("graph"));
  made.owner = owner;
  made.original = &graph;
  copy_references(graph.references, made.references);
  std::uint32_t index = 0;
  for (GraphNode* node : graph.nodes) node->index = index++;
  for (const GraphNode* node : graph.nodes) {
    GraphNode& copy = add(made, *node->params, {});
    copy.original = node;
    copy.attributes = node->attributes;
    for (Graph* body : node->bodies) copy.bodies.push_back(&clone(*body, &copy));
  }
  // Edges may lead to nodes that were added later.
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    for (const GraphEdge& edge : graph.nodes[i]->after)
      made.nodes[i]->after.push_back({made.nodes[edge.from->index], edge.data});
  return made;
}

/// As it would be launched now: updated, and with nothing to do where a node is disabled.
Graph& Graphs::clone(const ExecGraph& exec, GraphNode& owner) {
  Graph& made = create("embedded graph");
  made.owner = &owner;
  copy_references(exec.references, made.references);
  for (const ExecNode& node : exec.nodes) {
    const NodeParams& params =
        node.enabled ? *node.params : fresh_params(CU_GRAPH_NODE_TYPE_EMPTY, "empty");
    GraphNode& copy = add(made, params, {});
    copy.attributes = node.attributes;
    for (const ExecGraph* body : exec.bodies_of(node)) copy.bodies.push_back(&clone(*body, copy));
  }
  for (std::size_t i = 0; i < exec.nodes.size(); ++i) {
    const auto dependents = exec.dependents_of(exec.nodes[i]);
    for (std::size_t j = 0; j < dependents.size(); ++j)
      made.nodes[dependents[j]]->after.push_back(
          {made.nodes[i], exec.edge_data[exec.nodes[i].dependents_begin + j]});
  }
  return made;
}

void Graphs::destroy(Graph& graph) {
  while (!graph.nodes.empty()) destroy(*graph.nodes.back());
  // A graph with its handle may come; these are none of its.
  for (Conditional* each : conditionals_)
    if (each->graph == &graph) each->graph = nullptr;
  release(graph.references);
  graphs.end(sim_.ledger(), graph);
}

void Graphs::destroy(GraphNode& node) {
  if (node.params->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC) drop(*node.params->memory);
  if (node.params->type == CU_GRAPH_NODE_TYPE_MEM_FREE) node.params->memory->lose_free(*node.graph);
  if (node.params->conditional != nullptr) node.params->conditional->node = nullptr;
  for (Graph* body : node.bodies) destroy(*body);
  std::vector<GraphNode*>& siblings = node.graph->nodes;
  siblings.erase(std::find(siblings.begin(), siblings.end(), &node));
  for (GraphNode* other : siblings)
    std::erase_if(other->after, [&](const GraphEdge& edge) { return edge.from == &node; });
  nodes.end(sim_.ledger(), node);
}

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

}  // namespace harness::devices
