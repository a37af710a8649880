// Executable graphs: laying them out, changing, launching and destroying them.
#include <algorithm>

#include "harness/devices/sim/graphs/graphs.h"
#include "harness/devices/sim/sim_device.h"

namespace harness::devices {

// ---- layout -----------------------------------------------------------------------------------

std::vector<GraphNode*> Graphs::sorted(const Graph& graph) {
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

GraphNode* Graphs::find_cycle(Graph& graph) {
  const std::vector<GraphNode*> order = sorted(graph);
  for (GraphNode* node : graph.nodes)
    if (node->index == ~0u) return node;
  for (GraphNode* node : order)
    for (Graph* body : node->bodies)
      if (GraphNode* found = find_cycle(*body)) return found;
  return nullptr;
}

ExecGraph& Graphs::fresh_exec_graph() {
  ExecGraph* graph = nullptr;
  if (spare_exec_graphs_.empty()) {
    graph = &exec_graphs_.next();
  } else {
    graph = spare_exec_graphs_.back();
    spare_exec_graphs_.pop_back();
  }
  graph->nodes.clear();
  graph->dependents.clear();
  graph->edge_data.clear();
  graph->bodies.clear();
  graph->references.clear();
  graph->launches = 0;
  graph->current = true;
  graph->after.clear();
  graph->lines_run = 0;  // It may have more nodes than what it was before.
  return *graph;
}

ExecGraph& Graphs::lay_out(Graph& graph) {
  ExecGraph& made = fresh_exec_graph();
  copy_references(graph.references, made.references);
  const std::vector<GraphNode*> order = sorted(graph);
  for (const GraphNode* node : order) {
    ExecNode& exec = made.nodes.emplace_back();
    exec.source = node;
    exec.params = node->params;
    exec.attributes = node->attributes;
    if (node->params->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC) ++node->params->memory->holders;
    if (node->params->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD)
      exec.clock = &sim_.add_clock(*node->params->event->context);
    exec.after_count = static_cast<std::uint32_t>(node->after.size());
    exec.dependents_begin = static_cast<std::uint32_t>(made.dependents.size());
    for (std::uint32_t i = 0; i < order.size(); ++i)
      for (const GraphEdge& edge : order[i]->after)
        if (edge.from == node) {
          made.dependents.push_back(i);
          made.edge_data.push_back(edge.data);
        }
    exec.dependents_end = static_cast<std::uint32_t>(made.dependents.size());
  }
  // Bodies last: laying them out uses the scratch of their nodes only.
  for (std::size_t i = 0; i < order.size(); ++i) {
    made.nodes[i].bodies_begin = static_cast<std::uint32_t>(made.bodies.size());
    for (Graph* body : order[i]->bodies) made.bodies.push_back(&lay_out(*body));
    made.nodes[i].bodies_end = static_cast<std::uint32_t>(made.bodies.size());
  }
  return made;
}

static bool is_memory(CUgraphNodeType type) {
  return type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || type == CU_GRAPH_NODE_TYPE_MEM_FREE;
}

bool ExecGraph::has_memory_nodes() const {
  const auto is_one = [](const ExecNode& node) { return is_memory(node.params->type); };
  const auto has_one = [](const ExecGraph* body) { return body->has_memory_nodes(); };
  return std::any_of(nodes.begin(), nodes.end(), is_one) ||
         std::any_of(bodies.begin(), bodies.end(), has_one);
}

bool ExecGraph::has_conditional_nodes() const {
  const auto is_one = [](const ExecNode& node) {
    return node.params->type == CU_GRAPH_NODE_TYPE_CONDITIONAL;
  };
  const auto has_one = [](const ExecGraph* body) { return body->has_conditional_nodes(); };
  return std::any_of(nodes.begin(), nodes.end(), is_one) ||
         std::any_of(bodies.begin(), bodies.end(), has_one);
}

ExecGraph& Graphs::copy(const ExecGraph& graph) {
  ExecGraph& made = fresh_exec_graph();
  made.nodes = graph.nodes;
  for (const ExecNode& node : graph.nodes)
    if (node.params->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC) ++node.params->memory->holders;
  made.dependents = graph.dependents;
  made.edge_data = graph.edge_data;
  copy_references(graph.references, made.references);
  for (const ExecGraph* body : graph.bodies) made.bodies.push_back(&copy(*body));
  return made;
}

void Graphs::retire(ExecGraph& graph, const Clock& after) {
  for (const ExecNode& node : graph.nodes)
    if (node.params->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC) drop(*node.params->memory);
  release(graph.references, &after);
  for (ExecGraph* body : graph.bodies) retire(*body, after);
  graph.bodies.clear();
  spare_exec_graphs_.push_back(&graph);
}

// ---- executables ------------------------------------------------------------------------------

GraphExec& Graphs::instantiate(Graph& graph, cuuint64_t flags) {
  GraphExec& exec = execs.add(sim_.ledger(), "executable graph");
  exec.source = &graph;
  exec.flags = flags;
  exec.root = &lay_out(graph);
  ++graph.exec_count;
  return exec;
}

ExecGraph& Graphs::writable(GraphExec& exec) {
  if (exec.root->launches == 0) return *exec.root;
  ExecGraph& made = copy(*exec.root);
  exec.root->current = false;
  exec.root = &made;
  return made;
}

ExecNode* Graphs::find(ExecGraph& graph, const GraphNode& source) {
  for (ExecNode& node : graph.nodes)
    if (node.source == &source) return &node;
  for (ExecGraph* body : graph.bodies)
    if (ExecNode* node = find(*body, source)) return node;
  return nullptr;
}

ExecGraph* Graphs::find_body(ExecGraph& graph, const GraphNode& source) {
  for (const ExecNode& node : graph.nodes)
    if (node.source == &source) return graph.bodies_of(node).front();
  for (ExecGraph* body : graph.bodies)
    if (ExecGraph* found = find_body(*body, source)) return found;
  return nullptr;
}

void Graphs::replace(ExecGraph& exec, const Graph& graph, const Clock& after) {
  UserReferences old = exec.references;
  exec.references.clear();
  copy_references(graph.references, exec.references);
  release(old, &after);
  const std::vector<GraphNode*> order = sorted(graph);
  for (std::size_t i = 0; i < order.size(); ++i) {
    exec.nodes[i].params = order[i]->params;
    exec.nodes[i].attributes = order[i]->attributes;
    for (std::size_t body = 0; body < order[i]->bodies.size(); ++body)
      replace(*exec.bodies[exec.nodes[i].bodies_begin + body], *order[i]->bodies[body], after);
  }
}

void Graphs::destroy(GraphExec& exec) {
  --exec.source->exec_count;
  exec.root->current = false;
  if (exec.root->launches == 0) retire(*exec.root, exec.root->after);
  execs.end(sim_.ledger(), exec);
}

// ---- launches ---------------------------------------------------------------------------------

StreamPoint Graphs::launch(GraphExec& exec, Stream& stream) {
  GraphRun* run = nullptr;
  if (spare_runs_.empty()) {
    run = &runs_.next();
  } else {
    run = spare_runs_.back();
    spare_runs_.pop_back();
  }
  sim_.adopt_all_host_words();
  sim_.catch_up(stream);
  stream.clock.join(exec.clock);
  if ((exec.flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) != 0)
    free_unfreed(*exec.root, stream);
  run->begin(sim_, exec, stream.clock);
  ++exec.root->launches;
  Work& work = sim_.fresh_work(WorkKind::graph, "graph");
  work.run = run;
  if (exec.last.stream != &stream && !harness::devices::done(exec.last))
    work.after.push_back(exec.last);
  announce_memory(*exec.root, work, {&stream, stream.submitted + 1});
  exec.last = sim_.submit(stream, work, Lag::ask);
  stream.clock.join(run->after());
  exec.clock = stream.clock;
  return exec.last;
}

void Graphs::end(GraphRun& run) {
  ExecGraph& graph = *run.graph_;
  if (sim_.order->on()) graph.after.join(run.after());
  if (--graph.launches == 0 && !graph.current) retire(graph, graph.after);
  spare_runs_.push_back(&run);
}

}  // namespace harness::devices
