// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/graphs/executables.h"

#include <algorithm>

#include "harness/core/intervention/order.h"
#include "harness/devices/sim/sim_device.h"

namespace harness::devices {

void Executables::begin() {
  executables_.begin();
  plans_.begin();
  spare_plans_.clear();
  runs_.begin();
  spare_runs_.clear();
}

// ---- layout -----------------------------------------------------------------------------------

ExecutablePlan& Executables::fresh_plan() {
  ExecutablePlan* graph = nullptr;
  if (spare_plans_.empty()) {
    graph = &plans_.next();
  } else {
    graph = spare_plans_.back();
    spare_plans_.pop_back();
  }
  graph->nodes.clear();
  graph->dependents.clear();
  graph->bodies.clear();
  graph->references.clear();
  graph->launches = 0;
  graph->current = true;
  graph->after.clear();
  graph->lines_run = 0;  // It may now have more nodes than before.
  return *graph;
}

ExecutablePlan& Executables::lay_out(Graph& graph) {
  ExecutablePlan& made = fresh_plan();
  sim_.graphs().user_objects().copy(graph.references, made.references);
  const std::vector<GraphNode*> order = sorted(graph);
  for (const GraphNode* node : order) {
    PlanNode& exec = made.nodes.emplace_back();
    exec.source = node;
    exec.params = node->params;
    exec.attributes = node->attributes;
    if (node->params->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC) ++node->params->memory->holders;
    if (node->params->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD)
      exec.clock = &sim_.streams().add_clock(*node->params->event->context);
    exec.after_count = static_cast<std::uint32_t>(node->after.size());
    exec.dependents_begin = static_cast<std::uint32_t>(made.dependents.size());
    for (std::uint32_t i = 0; i < order.size(); ++i)
      for (const GraphEdge& edge : order[i]->after)
        if (edge.from == node) made.dependents.push_back(i);
    exec.dependents_end = static_cast<std::uint32_t>(made.dependents.size());
  }
  // Bodies come last, because laying them out overwrites the scratch fields of the nodes.
  for (std::size_t i = 0; i < order.size(); ++i) {
    made.nodes[i].bodies_begin = static_cast<std::uint32_t>(made.bodies.size());
    for (Graph* body : order[i]->bodies) made.bodies.push_back(&lay_out(*body));
    made.nodes[i].bodies_end = static_cast<std::uint32_t>(made.bodies.size());
  }
  return made;
}

ExecutablePlan& Executables::copy(const ExecutablePlan& graph) {
  ExecutablePlan& made = fresh_plan();
  made.nodes = graph.nodes;
  for (const PlanNode& node : graph.nodes)
    if (node.params->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC) ++node.params->memory->holders;
  made.dependents = graph.dependents;
  sim_.graphs().user_objects().copy(graph.references, made.references);
  for (const ExecutablePlan* body : graph.bodies) made.bodies.push_back(&copy(*body));
  return made;
}

void Executables::retire(ExecutablePlan& graph, const Clock& after) {
  for (const PlanNode& node : graph.nodes)
    if (node.params->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
      sim_.graphs().allocations().drop(*node.params->memory);
  sim_.graphs().user_objects().release(graph.references, &after);
  for (ExecutablePlan* body : graph.bodies) retire(*body, after);
  graph.bodies.clear();
  spare_plans_.push_back(&graph);
}

// ---- executables ------------------------------------------------------------------------------

/// A graph never frees memory that it did not free when it was instantiated. Source: driver 580.
static void leave_memory(const Graph& graph) {
  for (const GraphNode* node : graph.nodes) {
    if (node->params->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
      node->params->memory->is_left |= node->params->memory->freed_in != &graph;
    for (const Graph* body : node->bodies) leave_memory(*body);
  }
}

Executable& Executables::instantiate(Graph& graph, cuuint64_t flags) {
  leave_memory(graph);
  Executable& exec = executables_.add(sim_.ledger(), "executable graph");
  exec.source = &graph;
  exec.flags = flags;
  exec.root = &lay_out(graph);
  ++graph.exec_count;
  return exec;
}

ExecutablePlan& Executables::writable(Executable& exec) {
  if (exec.root->launches == 0) return *exec.root;
  ExecutablePlan& made = copy(*exec.root);
  exec.root->current = false;
  exec.root = &made;
  return made;
}

void Executables::replace(ExecutablePlan& exec, const Graph& graph, const Clock& after) {
  UserReferences old = exec.references;
  exec.references.clear();
  sim_.graphs().user_objects().copy(graph.references, exec.references);
  sim_.graphs().user_objects().release(old, &after);
  const std::vector<GraphNode*> order = sorted(graph);
  for (std::size_t i = 0; i < order.size(); ++i) {
    exec.nodes[i].params = order[i]->params;
    exec.nodes[i].attributes = order[i]->attributes;
    for (std::size_t body = 0; body < order[i]->bodies.size(); ++body)
      replace(*exec.bodies[exec.nodes[i].bodies_begin + body], *order[i]->bodies[body], after);
  }
}

void Executables::destroy(Executable& exec) {
  --exec.source->exec_count;
  exec.root->current = false;
  if (exec.root->launches == 0) retire(*exec.root, exec.root->after);
  executables_.end(sim_.ledger(), exec);
}

// ---- launches ---------------------------------------------------------------------------------

GraphRun& Executables::fresh_run() {
  if (spare_runs_.empty()) return runs_.next();
  GraphRun& run = *spare_runs_.back();
  spare_runs_.pop_back();
  return run;
}

StreamPoint Executables::launch(Executable& exec, Stream& stream) {
  GraphRun& run = fresh_run();
  sim_.host_memory().adopt_all();
  sim_.queues().catch_up(stream);
  stream.clock.join(exec.clock);
  if ((exec.flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) != 0)
    free_unfreed(*exec.root, stream);
  Work& work = sim_.queues().fresh(WorkKind::graph, "graph");
  work.run = &run;
  if (Order::current() != nullptr) [[unlikely]]
    sim_.queues().order().launch(stream, work, *exec.root, sim_.scheduler().site());
  run.begin(sim_, exec, stream.clock);
  ++exec.root->launches;
  if (exec.last.stream != &stream && !harness::devices::done(exec.last))
    work.after.push_back(exec.last);
  announce_memory(*exec.root, work, {&stream, stream.submitted + 1});
  exec.last = sim_.queues().submit(stream, work, Lag::ask);
  stream.clock.join(run.after());
  exec.clock = stream.clock;
  return exec.last;
}

void Executables::end(GraphRun& run) {
  ExecutablePlan& graph = run.plan();
  if (sim_.data_races().on()) graph.after.join(run.after());
  if (--graph.launches == 0 && !graph.current) retire(graph, graph.after);
  spare_runs_.push_back(&run);
}

// ---- memory of launches -----------------------------------------------------------------------

template <class Act>
static bool all_allocations(const ExecutablePlan& graph, Act act) {
  for (const PlanNode& node : graph.nodes)
    if (node.params->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC && !act(*node.params->memory))
      return false;
  for (const ExecutablePlan* body : graph.bodies)
    if (!all_allocations(*body, act)) return false;
  return true;
}

/// Drivers refuse to launch a graph with a memory operation on graph memory.
static bool operates_on_graph_memory(SimDevice& sim, const ExecutablePlan& graph) {
  const auto is_of_graph = [&sim](const MemoryOp& op) {
    return sim.memory().block(sim.memory().newest(op.place.address)).graph != nullptr;
  };
  for (const PlanNode& node : graph.nodes)
    if (std::any_of(node.params->memory_ops.begin(), node.params->memory_ops.end(), is_of_graph))
      return true;
  return std::any_of(graph.bodies.begin(), graph.bodies.end(),
                     [&sim](const auto* body) { return operates_on_graph_memory(sim, *body); });
}

bool Executables::may_launch(const Executable& exec) {
  if (operates_on_graph_memory(sim_, *exec.root)) return false;
  if ((exec.flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) != 0) return true;
  return all_allocations(*exec.root, [this](const GraphMemory& memory) {
    const Block& block = sim_.memory().block(memory.block);
    if (block.freed) return true;
    sim_.faults().misuse("graph memory", "launched again before it was freed", block.story());
    return false;
  });
}

/// Frees the memory that earlier launches have not freed, like cuMemFreeAsync() would.
void Executables::free_unfreed(const ExecutablePlan& graph, Stream& stream) {
  all_allocations(graph, [&](const GraphMemory& memory) {
    Block& block = sim_.memory().block(memory.block);
    if (block.freed) return true;
    block.freed = true;
    Work& work = sim_.queues().fresh(WorkKind::free, "free");
    work.block = memory.block;
    if (!harness::devices::done(block.given_at)) work.after.push_back(block.given_at);
    block.freed_at = sim_.queues().submit(stream, work, Lag::never);
    return true;
  });
}

/// After this call, other calls may use the launch's allocations, but not the memory that it frees.
void Executables::announce_memory(const ExecutablePlan& graph, Work& work,
                                  const StreamPoint& point) {
  for (const PlanNode& node : graph.nodes) {
    const CUgraphNodeType type = node.params->type;
    if (type != CU_GRAPH_NODE_TYPE_MEM_ALLOC && type != CU_GRAPH_NODE_TYPE_MEM_FREE) continue;
    Block& block = sim_.memory().block(node.params->memory->block);
    if (type == CU_GRAPH_NODE_TYPE_MEM_ALLOC) {
      if (!harness::devices::done(block.freed_at)) work.after.push_back(block.freed_at);
      block.given_at = point;
    } else {
      block.freed_at = point;
    }
    block.freed = type == CU_GRAPH_NODE_TYPE_MEM_FREE;
  }
  for (const ExecutablePlan* body : graph.bodies) announce_memory(*body, work, point);
}

}  // namespace harness::devices
