// How it works. Graphs, executables and launches are mirrored as lists of nodes by value, so that
// what an executable or a launch uses stays what it was when the definition changes. A thing's
// window follows from who still uses it when it is lost (ghost_windows.cpp): a launch in flight, an
// executable, or no more than a definition. All branches keep what they have; one at most runs.
#include "scenarios/graph_argument/ghost.h"

#include <algorithm>

namespace scenarios::graph_argument {

bool Ghost::uses(const GhostNodes& nodes, const GhostThing& thing) {
  return std::any_of(nodes.begin(), nodes.end(), [&](const GhostNode& node) {
    return node.points_into(thing) ||
           std::any_of(node.bodies.begin(), node.bodies.end(), [&](const GhostGraph* body) {
             return body != nullptr && uses(body->nodes, thing);
           });
  });
}

bool Ghost::works_on(const GhostNodes& nodes, const GhostThing& thing) {
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const GhostNode& node) { return !node.idle && node.points_into(thing); });
}

void Ghost::reach(Window window) {
  scene_.reach(harness::raw(window));
  scene_.exercised();
  last_window_ = harness::raw(window);
}

// ---- things -------------------------------------------------------------------------------------

/// Returns the last life of that kind, which is the one that the path has just made.
harness::BirthId Ghost::newest(ThingKind kind) const {
  static constexpr std::array<harness::Label, 3> kLives{"device memory", "library", "event"};
  if (kind == ThingKind::function) return harness::BirthId::none;
  const auto& lives = scene_.world().ledger.lives();
  std::size_t i = lives.size() - 1;
  while (i > 0 && !(lives[i].kind == kLives[harness::raw(kind)])) --i;
  return static_cast<harness::BirthId>(i);
}

// Of a function the script keeps no reference.
void Ghost::thing_made(ThingId, ThingKind kind) {
  GhostThing* thing = scene_.world().arena.make<GhostThing>();
  thing->kind = kind;
  thing->life = newest(kind);
  thing->gone = kind == ThingKind::function;
  things_.push_back(thing);
}

void Ghost::reference_dropped(ThingId id) {
  GhostThing& thing = at(id);
  if (--thing.references == 0) lose(thing, thing.gone);
}

void Ghost::lose(const GhostThing& thing, bool& flag) {
  if (std::exchange(flag, true)) return;
  for (const GhostLaunch& launch : launches_)
    if (!launch.finished && works_on(launch.nodes, thing)) return reach(window_of(thing));
}

Ghost::Circumstance Ghost::thing_ends(ThingId id) {
  GhostThing& thing = at(id);
  thing.end = window_of(thing);
  return thing.end == Window::captured_dropped ? Circumstance::captured : Circumstance::none;
}

std::optional<Window> Ghost::window_of_end(harness::Name life) const {
  const harness::Ledger& ledger = scene_.world().ledger;
  for (const GhostThing* thing : things_)
    if (thing->end && ledger.life(thing->life).name == life) return thing->end;
  return std::nullopt;
}

// ---- definitions --------------------------------------------------------------------------------

void Ghost::handle_born(std::uint64_t handle) {
  if (std::erase(dead_handles_, handle) > 0) reach(Window::handle_reused);
}

bool Ghost::is_dead(std::uint64_t handle) const {
  return std::find(dead_handles_.begin(), dead_handles_.end(), handle) != dead_handles_.end();
}

GhostGraph& Ghost::make_graph(GhostGraph* parent) {
  graphs_.push_back(scene_.world().arena.make<GhostGraph>());
  graphs_.back()->parent = parent;
  return *graphs_.back();
}

void Ghost::graph_made(GraphId, GraphId parent) {
  numbered_.push_back(&make_graph(parent != GraphId::none ? &at(parent) : nullptr));
}

// Node ids stay: an executable made of the clone takes updates by the nodes it was cloned from.
GhostGraph& Ghost::clone(const GhostGraph& graph, GhostGraph* parent) {
  GhostGraph& copy = make_graph(parent);
  copy.nodes = graph.nodes;
  copy.ever = graph.ever;
  for (GhostNode& node : copy.nodes)
    for (GhostGraph*& body : node.bodies)
      if (body != nullptr) body = &clone(*body, &copy);
  return copy;
}

void Ghost::graph_cloned(GraphId, GraphId from, GraphId parent) {
  GhostGraph* around = parent != GraphId::none ? &at(parent) : nullptr;
  GhostGraph& copy = clone(at(from), around);
  numbered_.push_back(&copy);
  if (around != nullptr)
    around->ever.insert(around->ever.end(), copy.ever.begin(), copy.ever.end());
}

void Ghost::graph_dropped(GraphId id) {
  GhostGraph& graph = at(id);
  graph.gone = true;
  reach_let_go(graph.nodes);
}

bool Ghost::never_ends(const GhostGraph& graph) {
  const auto leaves = [](const GhostNode& node) { return node.work == Work::leave; };
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const GhostNode& node) {
    if (node.work == Work::while_loop && node.runs(0) &&
        std::none_of(node.bodies[0]->nodes.begin(), node.bodies[0]->nodes.end(), leaves))
      return true;
    return std::any_of(node.bodies.begin(), node.bodies.end(),
                       [](const GhostGraph* body) { return body != nullptr && never_ends(*body); });
  });
}

// ---- nodes --------------------------------------------------------------------------------------

GhostNode* Ghost::find(GhostGraph& graph, NodeId id) {
  const auto found = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                  [&](const GhostNode& node) { return node.id == id; });
  return found != graph.nodes.end() ? &*found : nullptr;
}

void Ghost::node_added(GraphId id, NodeId added, const NodeFacts& facts) {
  GhostGraph& graph = at(id);
  GhostNode node{.work = facts.work,
                 .id = added,
                 .things = find(facts.things),
                 .helper = find(facts.helper),
                 .branch = facts.branch};
  for (std::size_t i = 0; i < node.bodies.size(); ++i)
    if (facts.bodies[i] != GraphId::none) node.bodies[i] = &at(facts.bodies[i]);
  if (facts.work == Work::allocation) {
    memories_.push_back(scene_.world().arena.make<GhostMemory>(GhostMemory{added, &graph}));
    node.memory = memories_.back();
  }
  for (GhostThing* thing : {node.things[0], node.things[1], node.helper})
    if (thing != nullptr) graph.ever.push_back(thing);
  graph.nodes.push_back(node);
}

void Ghost::node_attached(GraphId graph, NodeId id, bool well) {
  if (!well) reach(Window::attachment_failed);
  if (GhostNode* node = find(at(graph), id)) node->unowned = !well;
}

void Ghost::node_changed(GraphId id, NodeId changed, const Things& given) {
  GhostGraph& graph = at(id);
  const std::array<GhostThing*, 2> things = find(given);
  GhostNode* node = find(graph, changed);
  if (node == nullptr) return;
  for (const GhostThing* thing : node->things)
    if (std::find(things.begin(), things.end(), thing) == things.end())
      graph.lost.push_back({changed, thing});
  node->things = things;
  for (GhostThing* thing : things)
    if (thing != nullptr) graph.ever.push_back(thing);
}

void Ghost::node_destroyed(GraphId id, NodeId destroyed) {
  GhostGraph& graph = at(id);
  if (const GhostNode* node = find(graph, destroyed))
    for (const GhostThing* thing : {node->things[0], node->things[1], node->helper})
      if (thing != nullptr) graph.lost.push_back({destroyed, thing});
  std::erase_if(graph.nodes, [&](const GhostNode& node) { return node.id == destroyed; });
}

// ---- memory of graphs ---------------------------------------------------------------------------

GhostMemory& Ghost::memory_of(NodeId allocation) {
  const auto found =
      std::find_if(memories_.begin(), memories_.end(),
                   [&](const GhostMemory* memory) { return memory->allocation == allocation; });
  HARNESS_CHECK(found != memories_.end(), "a node that was added allocates it");
  return **found;
}

void Ghost::frees(GraphId graph, NodeId allocation) {
  const GhostMemory& memory = memory_of(allocation);
  if (memory.graph != &at(graph) || memory.freed_in != nullptr) reach(Window::graph_memory_misused);
}

void Ghost::freed(GraphId graph, NodeId allocation) { memory_of(allocation).freed_in = &at(graph); }

void Ghost::works_in(GraphId graph, NodeId allocation) {
  const GhostMemory& memory = memory_of(allocation);
  if (memory.graph != &at(graph) || memory.freed_in == &at(graph))
    reach(Window::graph_memory_misused);
}

// A second launch, of what frees nothing.
void Ghost::reach_unfreed(const GhostExec& exec) {
  for (const GhostNode& node : exec.nodes)
    if (node.memory != nullptr && exec.launched && node.memory->freed_in == nullptr)
      reach(Window::graph_memory_misused);
}

// ---- executables --------------------------------------------------------------------------------

void Ghost::flatten(const GhostGraph& graph, GhostNodes& into, bool idle) {
  for (const GhostNode& node : graph.nodes) {
    for (std::size_t i = 0; i < node.bodies.size(); ++i)
      if (node.bodies[i] != nullptr) flatten(*node.bodies[i], into, idle || !node.runs(i));
    if (node.bodies[0] != nullptr) continue;
    into.emplace_back(node).idle = idle;
  }
}

void Ghost::exec_made(ExecId, GraphId graph) {
  auto* exec = scene_.world().arena.make<GhostExec>();
  flatten(at(graph), exec->nodes);
  exec->source = &at(graph);
  execs_.push_back(exec);
}

void Ghost::exec_node_changed(ExecId exec, NodeId changed, const Things& things) {
  for (GhostNode& node : at(exec).nodes) {
    if (node.id != changed) continue;
    node.things = find(things);
    node.updated = true;
  }
}

// The executable goes on taking updates by the nodes that it was made of.
void Ghost::exec_updated(ExecId id, GraphId graph) {
  GhostExec& exec = at(id);
  const GhostNodes before = std::exchange(exec.nodes, {});
  flatten(at(graph), exec.nodes);
  const std::size_t count = std::min(before.size(), exec.nodes.size());
  for (std::size_t i = 0; i < count; ++i) exec.nodes[i].id = before[i].id;
  exec.source = &at(graph);
}

void Ghost::exec_dropped(ExecId id) {
  GhostExec& exec = at(id);
  exec.gone = true;
  reach_let_go(exec.nodes);
}

// ---- launches -----------------------------------------------------------------------------------

void Ghost::launches(ExecId id, StreamName stream) {
  GhostExec& exec = at(id);
  reach_lost(exec);
  reach_unfreed(exec);
  exec.launched = true;
  launches_.push_back({exec.nodes, &exec, stream, false});
}

void Ghost::waits() {
  const std::size_t task = harness::raw(scene_.world().scheduler.current());
  if (task >= marks_.size()) marks_.resize(task + 1);
  marks_[task] = launches_.size();
}

void Ghost::finished(StreamName stream) {
  const std::size_t mark = marks_[harness::raw(scene_.world().scheduler.current())];
  for (std::size_t i = 0; i < mark; ++i) {
    GhostLaunch& launch = launches_[i];
    if (launch.stream != stream || std::exchange(launch.finished, true)) continue;
    reach_let_go(launch.nodes);
  }
}

void Ghost::reach_lost(const GhostExec& exec) {
  for (const GhostNode& node : exec.nodes)
    for (const GhostThing* thing : {node.things[0], node.things[1], node.helper})
      if (thing != nullptr && !node.idle && thing->kind != ThingKind::function && thing->lost())
        reach(window_of(*thing));
}

bool Ghost::used(const GhostThing& thing) const {
  const auto by = [&](const auto& nodes) { return uses(nodes, thing); };
  return std::any_of(launches_.begin(), launches_.end(),
                     [&](const auto& launch) { return !launch.finished && by(launch.nodes); }) ||
         std::any_of(execs_.begin(), execs_.end(),
                     [&](const auto* exec) { return !exec->gone && by(exec->nodes); }) ||
         std::any_of(graphs_.begin(), graphs_.end(), [&](const auto* graph) {
           return graph->parent == nullptr && !graph->gone && by(graph->nodes);
         });
}

void Ghost::reach_let_go(const GhostNodes& nodes) {
  for (const GhostNode& node : nodes)
    for (const GhostThing* thing : {node.things[0], node.things[1], node.helper})
      if (thing != nullptr && node.work != Work::captured && thing->lost() && !used(*thing))
        return reach(Window::dropped_in_callback);
}

}  // namespace scenarios::graph_argument
