// SPDX-License-Identifier: Apache-2.0
#include "scenarios/graph_argument/model/records.h"

#include <algorithm>

namespace scenarios::graph_argument {

using harness::Label;

namespace {

struct WorkRow {
  Label label;
  std::size_t buffer_count = 0;  ///< Buffers that such a node has.
};

constexpr std::array<WorkRow, targets::graph_argument::kWorkCount> kWorks{
    {{"add_one", 1}, {"saxpy", 2},    {"block_sum", 2}, {"produce", 1}, {"consume", 2},
     {"chase", 2},   {"captured", 1}, {"scratch", 1},   {"leave"},      {"memcpy", 2},
     {"memset", 1},  {"record"},      {"wait"},         {"callback"},   {"alloc"},
     {"free"},       {"child"},       {"if_then"},      {"if_else"},    {"while_loop"},
     {"switch_case"}}};

}  // namespace

Label to_label(Work work) { return kWorks[harness::raw(work)].label; }

std::array<Thing*, 2> things_of(Work work, Thing* first, Thing* second) {
  const std::size_t count = kWorks[harness::raw(work)].buffer_count;
  return {count > 0 ? first : nullptr, count > 1 ? second : nullptr};
}

harness::BirthId newest_life(harness::World& world, Label kind) {
  const auto& lives = world.ledger.lives();
  const harness::Name activation = world.picker.current().name;
  for (std::size_t i = lives.size(); i-- > 1;)
    if (lives[i].kind == kind && lives[i].birth_activation == activation)
      return lives[i].alive ? static_cast<harness::BirthId>(i) : harness::BirthId::none;
  return harness::BirthId::none;
}

// ---- graphs -------------------------------------------------------------------------------------

Node* find(Graph& graph, NodeId id) {
  for (Node& node : graph.nodes)
    if (node.id == id) return &node;
  return nullptr;
}

bool has_changed(const Graph& graph) {
  return any_within(graph, [](const Graph& each) { return each.changed; });
}

void set_orphaned(Graph& graph, bool orphaned) {
  graph.orphaned = orphaned;
  for (const Node& node : graph.nodes)
    for (Graph* body : node.bodies)
      if (body != nullptr) set_orphaned(*body, orphaned);
}

// A node with graphs inside follows their nodes, and does nothing itself.
void flatten(const Graph& graph, NodeList& into, bool idle, bool looped) {
  for (const Node& node : graph.nodes) {
    const bool loops = looped || node.work == Work::while_loop;
    std::array<std::size_t, kBranchCount> inside{};
    for (std::size_t i = 0; i < node.bodies.size(); ++i) {
      const std::size_t before = into.size();
      if (node.bodies[i] != nullptr) flatten(*node.bodies[i], into, idle || !node.runs(i), loops);
      inside[i] = into.size() - before;
    }
    Node& made = into.emplace_back(node);
    made.bodies = {};
    made.inside = inside;
    made.home = &graph;
    made.idle = idle;
    made.looped = looped;
  }
}

// ---- all records --------------------------------------------------------------------------------

Thing& Records::add_thing(ThingKind kind, harness::BirthId life) {
  return *things_.emplace_back(world_.arena.make<Thing>(Thing{.kind = kind, .life = life}));
}

Graph& Records::add_graph(Graph* parent) {
  Graph& made = *graphs_.emplace_back(world_.arena.make<Graph>());
  made.parent = parent;
  return *numbered_.emplace_back(&made);
}

Graph& Records::copy_graph(const Graph& graph, Graph* parent) {
  return *numbered_.emplace_back(&copy(graph, parent));
}

// Keeps the ids of nodes: an executable of the copy accepts updates by the nodes of the original.
Graph& Records::copy(const Graph& graph, Graph* parent) {
  Graph& made = *graphs_.emplace_back(world_.arena.make<Graph>());
  made.nodes = graph.nodes;
  made.ever = graph.ever;
  made.parent = parent;
  made.changed = graph.changed;
  made.endless = graph.endless;
  made.branch = graph.branch;
  made.spoilt = graph.spoilt;
  for (Node& node : made.nodes)
    for (Graph*& body : node.bodies)
      if (body != nullptr) body = &copy(*body, &made);
  return made;
}

Memory& Records::add_memory(NodeId allocation, const Graph& graph) {
  return *memories_.emplace_back(world_.arena.make<Memory>(Memory{allocation, &graph}));
}

Memory* Records::find_memory(NodeId allocation) const {
  const auto found = std::ranges::find(memories_, allocation, &Memory::allocation);
  return found != memories_.end() ? *found : nullptr;
}

Exec& Records::add_exec(const Graph& graph, harness::BirthId life) {
  Exec& exec = *execs_.emplace_back(world_.arena.make<Exec>());
  flatten(graph, exec.nodes);
  exec.life = life;
  exec.source = exec.latest = &graph;
  exec.changed = has_changed(graph);
  return exec;
}

std::span<const Launch> Records::launched() const {
  const bool one_begins = !launches_.empty() && launches_.back().bound == 0;
  return std::span(launches_).first(launches_.size() - (one_begins ? 1 : 0));
}

bool Records::is_second_stream_used() const {
  return !stream_closed_ || std::ranges::any_of(things_, [&](const Thing* thing) {
    return thing->kind == ThingKind::buffer && thing->stream == StreamName::second &&
           world_.ledger.alive(thing->life);
  });
}

}  // namespace scenarios::graph_argument
