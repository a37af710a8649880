// How it works. Graphs, executables and launches are mirrored as lists of nodes by value, so that
// what an executable or a launch uses stays what it was when the definition changes. A thing's
// window follows from who still uses it when it is lost (ghost_windows.cpp): a launch in flight, an
// executable, or no more than a definition. All branches keep what they have; one at most runs.
#include "targets/graph_argument/ghost.h"

#include <algorithm>

namespace targets::graph_argument {

using harness::Label;

Label to_label(Work work) {
  static constexpr std::array<Label, 21> kLabels{
      "add_one", "saxpy", "block_sum", "produce", "consume", "chase",      "captured",
      "scratch", "leave", "memcpy",    "memset",  "record",  "wait",       "callback",
      "alloc",   "free",  "child",     "if_then", "if_else", "while_loop", "switch_case"};
  return kLabels[harness::raw(work)];
}

bool Ghost::uses(const std::pmr::vector<GhostNode>& nodes, const Thing& thing) {
  return std::any_of(nodes.begin(), nodes.end(), [&](const GhostNode& node) {
    return node.points_into(thing) ||
           std::any_of(node.bodies.begin(), node.bodies.end(), [&](const GhostGraph* body) {
             return body != nullptr && uses(body->nodes, thing);
           });
  });
}

bool Ghost::works_on(const std::pmr::vector<GhostNode>& nodes, const Thing& thing) {
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const GhostNode& node) { return !node.idle && node.points_into(thing); });
}

// ---- things -------------------------------------------------------------------------------------

Thing* Ghost::make(ThingKind kind) {
  Thing* thing = arena_.make<Thing>();
  thing->kind = kind;
  things_.push_back(thing);
  return thing;
}

void Ghost::lose(Thing& thing, bool& flag) {
  if (std::exchange(flag, true)) return;
  for (const GhostLaunch& launch : launches_)
    if (!launch.finished && works_on(launch.nodes, thing)) return reach(window_of(thing));
}

// ---- definitions --------------------------------------------------------------------------------

void Ghost::handle_born(std::uint64_t handle) {
  if (std::erase(dead_handles_, handle) > 0) reach(Window::r18);
}

GhostGraph* Ghost::create_graph(GhostGraph* parent) {
  graphs_.push_back(arena_.make<GhostGraph>());
  graphs_.back()->parent = parent;
  return graphs_.back();
}

std::uint32_t Ghost::add(GhostGraph& graph, GhostNode node) {
  node.serial = ++serials_;
  for (Thing* thing : {node.things[0], node.things[1], node.helper})
    if (thing != nullptr) graph.ever.push_back(thing);
  graph.nodes.push_back(node);
  return node.serial;
}

GhostNode* Ghost::find(GhostGraph& graph, std::uint32_t serial) {
  const auto found = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                  [&](const GhostNode& node) { return node.serial == serial; });
  return found != graph.nodes.end() ? &*found : nullptr;
}

void Ghost::set_params(GhostGraph& graph, std::uint32_t serial,
                       const std::array<Thing*, 2>& things) {
  GhostNode* node = find(graph, serial);
  if (node == nullptr) return;
  for (const Thing* thing : node->things)
    if (std::find(things.begin(), things.end(), thing) == things.end())
      graph.lost.push_back({serial, thing});
  node->things = things;
  for (Thing* thing : things)
    if (thing != nullptr) graph.ever.push_back(thing);
}

void Ghost::attached(GhostGraph& graph, std::uint32_t serial, bool well) {
  if (!well) reach(Window::r16);
  if (GhostNode* node = find(graph, serial)) node->unowned = !well;
}

void Ghost::destroy_node(GhostGraph& graph, std::uint32_t serial) {
  if (const GhostNode* node = find(graph, serial))
    for (const Thing* thing : {node->things[0], node->things[1], node->helper})
      if (thing != nullptr) graph.lost.push_back({serial, thing});
  std::erase_if(graph.nodes, [&](const GhostNode& node) { return node.serial == serial; });
}

void Ghost::destroy(GhostGraph& graph) {
  graph.gone = true;
  reach_let_go(graph.nodes);
}

// Serials stay: an executable made of the clone takes updates by the nodes it was cloned from.
GhostGraph* Ghost::clone(const GhostGraph& graph, GhostGraph* parent) {
  GhostGraph* copy = create_graph(parent);
  copy->nodes = graph.nodes;
  copy->ever = graph.ever;
  for (GhostNode& node : copy->nodes)
    for (GhostGraph*& body : node.bodies)
      if (body != nullptr) body = clone(*body, copy);
  return copy;
}

bool Ghost::never_ends(const GhostGraph& graph) const {
  const auto leaves = [](const GhostNode& node) { return node.work == Work::leave; };
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const GhostNode& node) {
    if (node.work == Work::while_loop && node.runs(0) &&
        std::none_of(node.bodies[0]->nodes.begin(), node.bodies[0]->nodes.end(), leaves))
      return true;
    return std::any_of(node.bodies.begin(), node.bodies.end(), [&](const GhostGraph* body) {
      return body != nullptr && never_ends(*body);
    });
  });
}

void Ghost::stale_handle_used(std::uint64_t handle, Label what) {
  const bool dead =
      std::find(dead_handles_.begin(), dead_handles_.end(), handle) != dead_handles_.end();
  if (observer_ == nullptr) return;
  dead ? observer_->met_ended() : observer_->met_stranger(what);
}

// ---- memory of graphs ---------------------------------------------------------------------------

GhostMemory* Ghost::allocate(const GhostGraph& graph) {
  return arena_.make<GhostMemory>(GhostMemory{&graph});
}

void Ghost::free(const GhostMemory& memory, const GhostGraph& graph) {
  if (memory.graph != &graph || memory.freed_in != nullptr) reach(Window::r15);
}

void Ghost::work_in(const GhostMemory& memory, const GhostGraph& graph) {
  if (memory.graph != &graph || memory.freed_in == &graph) reach(Window::r15);
}

// A second launch, of what frees nothing.
void Ghost::reach_unfreed(const GhostExec& exec) {
  for (const GhostNode& node : exec.nodes)
    if (node.work == Work::allocation && exec.launched && node.memory->freed_in == nullptr)
      reach(Window::r15);
}

// ---- executables --------------------------------------------------------------------------------

void Ghost::flatten(const GhostGraph& graph, std::pmr::vector<GhostNode>& into,
                    bool idle) const {
  for (const GhostNode& node : graph.nodes) {
    for (std::size_t i = 0; i < node.bodies.size(); ++i)
      if (node.bodies[i] != nullptr) flatten(*node.bodies[i], into, idle || !node.runs(i));
    if (node.bodies[0] != nullptr) continue;
    into.emplace_back(node).idle = idle;
  }
}

GhostExec* Ghost::instantiate(GhostGraph& graph) {
  auto* exec = arena_.make<GhostExec>();
  flatten(graph, exec->nodes);
  exec->source = &graph;
  execs_.push_back(exec);
  return exec;
}

void Ghost::update_node(GhostExec& exec, std::uint32_t serial,
                        const std::array<Thing*, 2>& things) {
  for (GhostNode& node : exec.nodes) {
    if (node.serial != serial) continue;
    node.things = things;
    node.updated = true;
  }
}

// The executable goes on taking updates by the nodes that it was made of.
void Ghost::update(GhostExec& exec, GhostGraph& graph) {
  const std::pmr::vector<GhostNode> before = std::exchange(exec.nodes, {});
  flatten(graph, exec.nodes);
  const std::size_t count = std::min(before.size(), exec.nodes.size());
  for (std::size_t i = 0; i < count; ++i) exec.nodes[i].serial = before[i].serial;
  exec.source = &graph;
}

void Ghost::close(GhostExec& exec) {
  exec.gone = true;
  reach_let_go(exec.nodes);
}

void Ghost::launch(GhostExec& exec, StreamName stream) {
  reach_lost(exec);
  reach_unfreed(exec);
  exec.launched = true;
  launches_.push_back({exec.nodes, &exec, stream, false});
}

void Ghost::launch_failed() { launches_.pop_back(); }

void Ghost::finished(StreamName stream, std::size_t mark) {
  for (std::size_t i = 0; i < mark; ++i) {
    GhostLaunch& launch = launches_[i];
    if (launch.stream != stream || std::exchange(launch.finished, true)) continue;
    reach_let_go(launch.nodes);
  }
}

void Ghost::reach_lost(const GhostExec& exec) {
  for (const GhostNode& node : exec.nodes)
    for (const Thing* thing : {node.things[0], node.things[1], node.helper})
      if (thing != nullptr && !node.idle && thing->kind != ThingKind::function && thing->lost())
        reach(window_of(*thing));
}

bool Ghost::used(const Thing& thing) const {
  const auto by = [&](const auto& nodes) { return uses(nodes, thing); };
  return std::any_of(launches_.begin(), launches_.end(),
                     [&](const auto& launch) { return !launch.finished && by(launch.nodes); }) ||
         std::any_of(execs_.begin(), execs_.end(),
                     [&](const auto* exec) { return !exec->gone && by(exec->nodes); }) ||
         std::any_of(graphs_.begin(), graphs_.end(), [&](const auto* graph) {
           return graph->parent == nullptr && !graph->gone && by(graph->nodes);
         });
}

void Ghost::reach_let_go(const std::pmr::vector<GhostNode>& nodes) {
  for (const GhostNode& node : nodes)
    for (const Thing* thing : {node.things[0], node.things[1], node.helper})
      if (thing != nullptr && node.work != Work::captured && thing->lost() && !used(*thing))
        return reach(Window::r11);
}

}  // namespace targets::graph_argument
