// How it works. Graphs, executables and launches are mirrored as lists of nodes by value, so that
// what an executable or a launch uses stays what it was when the definition changes. A thing's
// window follows from who still uses it when it is lost: a launch in flight, an executable, or no
// more than a definition.
#include "targets/graph_argument/ghost.h"

#include <algorithm>

namespace targets::graph_argument {

using harness::Label;

Label to_label(Work work) {
  static constexpr std::array<Label, 13> kLabels{
      "add_one", "saxpy",  "block_sum", "produce", "consume",  "chase", "captured",
      "memcpy",  "memset", "record",    "wait",    "callback", "child"};
  return kLabels[harness::raw(work)];
}

namespace {

bool points_into(const GhostNode& node, const Thing& thing) {
  return node.things[0] == &thing || node.things[1] == &thing || node.helper == &thing;
}

}  // namespace

bool Ghost::uses(const std::pmr::vector<GhostNode>& nodes, const Thing& thing) {
  return std::any_of(nodes.begin(), nodes.end(), [&](const GhostNode& node) {
    return points_into(node, thing) || (node.child != nullptr && uses(node.child->nodes, thing));
  });
}

// ---- things -------------------------------------------------------------------------------------

Thing* Ghost::make(ThingKind kind, std::int32_t value) {
  Thing* thing = arena_.make<Thing>();
  thing->kind = kind;
  thing->value = value;
  things_.push_back(thing);
  return thing;
}

void Ghost::lose(Thing& thing, bool& flag) {
  if (std::exchange(flag, true)) return;
  for (const GhostLaunch& launch : launches_)
    if (!launch.finished && uses(launch.nodes, thing)) return reach(window_of(thing));
}

// ---- definitions --------------------------------------------------------------------------------

void Ghost::handle_born(std::uint64_t handle) {
  if (std::erase(dead_handles_, handle) > 0) reach(Window::r18);
}

GhostGraph* Ghost::create_graph() {
  graphs_.push_back(arena_.make<GhostGraph>());
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
  node->things = things;
  for (Thing* thing : things)
    if (thing != nullptr) graph.ever.push_back(thing);
}

void Ghost::destroy_node(GhostGraph& graph, std::uint32_t serial) {
  std::erase_if(graph.nodes, [&](const GhostNode& node) { return node.serial == serial; });
}

void Ghost::destroy(GhostGraph& graph) {
  graph.gone = true;
  reach_let_go(graph.nodes);
}

// Serials stay: an executable made of the clone takes updates by the nodes it was cloned from.
GhostGraph* Ghost::clone(const GhostGraph& graph, GhostGraph* parent) {
  GhostGraph* copy = create_graph();
  copy->nodes = graph.nodes;
  copy->ever = graph.ever;
  copy->parent = parent;
  for (GhostNode& node : copy->nodes)
    if (node.child != nullptr) node.child = clone(*node.child, copy);
  return copy;
}

void Ghost::stale_handle_used(std::uint64_t handle, Label what) {
  const bool dead =
      std::find(dead_handles_.begin(), dead_handles_.end(), handle) != dead_handles_.end();
  if (!dead && observer_ != nullptr) observer_->met_stranger(what);
}

// ---- executables --------------------------------------------------------------------------------

void Ghost::flatten(const GhostGraph& graph, std::pmr::vector<GhostNode>& into) const {
  for (const GhostNode& node : graph.nodes) {
    if (node.child != nullptr)
      flatten(*node.child, into);
    else
      into.push_back(node);
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
  launches_.push_back({exec.nodes, &exec, stream, false});
}

void Ghost::launch_failed() { launches_.pop_back(); }

void Ghost::finished(StreamName stream, std::size_t mark) {
  ++waits_;
  for (std::size_t i = 0; i < mark; ++i) {
    GhostLaunch& launch = launches_[i];
    if (launch.stream != stream || std::exchange(launch.finished, true)) continue;
    launch.finished_in = waits_;
    reach_let_go(launch.nodes);
  }
}

void Ghost::reach_lost(const GhostExec& exec) {
  for (const GhostNode& node : exec.nodes)
    for (const Thing* thing : {node.things[0], node.things[1], node.helper})
      if (thing != nullptr && thing->kind != ThingKind::function && thing->lost())
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

// ---- windows ------------------------------------------------------------------------------------

namespace {

/// By what it is, or by what the node does with it.
Window window_of_use(const GhostNode& node, const Thing& thing) {
  if (node.unowned) return Window::r16;
  if (thing.kind == ThingKind::module) return Window::r14;
  if (thing.kind == ThingKind::event) return Window::r13;
  if (node.work == Work::chase) return Window::r5;
  if (thing.closed && is_kernel(node.work)) return Window::r3;
  return node.work == Work::copy || node.work == Work::set ? Window::r2 : Window::r1;
}

/// A captured launch does not count: all that it uses is the caller's to keep.
const GhostNode* user_of(const std::pmr::vector<GhostNode>& nodes, const Thing& thing) {
  for (const GhostNode& node : nodes)
    if (node.work != Work::captured && points_into(node, thing)) return &node;
  return nullptr;
}

bool is_plain(Window window) {
  return window == Window::r1 || window == Window::r2 || window == Window::r13 ||
         window == Window::r14;
}

}  // namespace

// A launch in flight tells more than an executable, and that more than a definition; what the
// caller must keep himself tells most.
Window Ghost::window_of(const Thing& thing) const {
  for (const GhostLaunch& launch : launches_) {
    const GhostNode* node = launch.finished ? nullptr : user_of(launch.nodes, thing);
    if (node == nullptr) continue;
    const Window use = window_of_use(*node, thing);
    if (!is_plain(use)) return use;
    if (launch.exec->gone) return Window::r9;
    if (node->updated || !uses(launch.exec->nodes, thing)) return Window::r7;
    const GhostGraph& source = *launch.exec->source;
    return source.gone || uses(source.nodes, thing) ? Window::r12 : Window::r6;
  }
  for (const GhostExec* exec : execs_) {
    const GhostNode* node = exec->gone ? nullptr : user_of(exec->nodes, thing);
    if (node == nullptr) continue;
    const Window use = window_of_use(*node, thing);
    if (!is_plain(use)) return use;
    if (node->updated) return Window::r7;
    if (exec->source->gone) return Window::r8;
    return uses(exec->source->nodes, thing) ? use : Window::r6;
  }
  for (const GhostGraph* graph : graphs_) {
    const GhostNode* node = graph->gone ? nullptr : user_of(graph->nodes, thing);
    if (node != nullptr) return window_of_use(*node, thing);
  }
  return is_captured(thing) ? Window::r4 : Window::r1;
}

bool Ghost::is_captured(const Thing& thing) const {
  return std::any_of(graphs_.begin(), graphs_.end(), [&](const GhostGraph* graph) {
    return std::any_of(graph->nodes.begin(), graph->nodes.end(), [&](const GhostNode& node) {
      return node.work == Work::captured && points_into(node, thing);
    });
  });
}

namespace {

#define WINDOWS(prefix)                                                                        \
  {                                                                                            \
    prefix "R1", prefix "R2", prefix "R3", prefix "R4", prefix "R5", prefix "R6", prefix "R7", \
        prefix "R8", prefix "R9", prefix "R10", prefix "R11", prefix "R12", prefix "R13",      \
        prefix "R14", prefix "R16", prefix "R17", prefix "R18", prefix "R19", prefix "R20",    \
        prefix "R21"                                                                           \
  }
using Sites = std::array<Label, kWindowCount>;
constexpr Sites kBufferSites WINDOWS("Buffer.__dealloc__/");
constexpr Sites kModuleSites WINDOWS("ObjectCode.__dealloc__/");
constexpr Sites kEventSites WINDOWS("Event.__dealloc__/");
#undef WINDOWS

}  // namespace

Label Ghost::death_site(const Thing& thing) const {
  if (thing.closed && thing.kind == ThingKind::buffer) return "Buffer.close";
  const Sites& sites = thing.kind == ThingKind::buffer   ? kBufferSites
                       : thing.kind == ThingKind::module ? kModuleSites
                                                         : kEventSites;
  return sites[harness::raw(window_of(thing))];
}

// ---- cycles -------------------------------------------------------------------------------------

static const GhostGraph& root_of(const GhostGraph& graph) {
  return graph.parent != nullptr ? root_of(*graph.parent) : graph;
}

// A handle of a child's graph keeps the whole of what it is in.
bool Ghost::leads_to(const Thing& from, const Thing& to, std::uint32_t depth) const {
  if (from.attribute == nullptr || depth == 0) return false;
  const GhostGraph& kept = root_of(*from.attribute);
  const auto leads = [&](const Thing* next) {
    return next == &to || leads_to(*next, to, depth - 1);
  };
  return std::any_of(graphs_.begin(), graphs_.end(), [&](const GhostGraph* graph) {
    return &root_of(*graph) == &kept && std::any_of(graph->ever.begin(), graph->ever.end(), leads);
  });
}

bool Ghost::has_cycle() const {
  return std::any_of(things_.begin(), things_.end(),
                     [&](const Thing* thing) { return leads_to(*thing, *thing, 4); });
}

}  // namespace targets::graph_argument
