// SPDX-License-Identifier: Apache-2.0
#include "scenarios/graph_argument/shadow/users.h"

#include <algorithm>

namespace scenarios::graph_argument {

using targets::graph_argument::ThingKind;
using targets::graph_argument::Work;

namespace {

/// Returns the window by the kind of thing, or by how the node uses it.
Window window_of_use(const ShadowNode& node, const ShadowThing& thing) {
  if (node.unowned) return Window::attachment_failed;
  if (thing.kind == ThingKind::module) return Window::module_dropped;
  if (thing.kind == ThingKind::event) return Window::stream_or_event_closed;
  if (node.work == Work::chase || node.by_address) return Window::bare_address_dropped;
  if (thing.closed && targets::graph_argument::is_kernel(node.work)) return Window::buffer_closed;
  return node.work == Work::copy || node.work == Work::set ? Window::operand_dropped
                                                           : Window::argument_dropped;
}

/// Skips captured launches: the caller must keep everything that they use.
const ShadowNode* user_of(const ShadowNodes& nodes, const ShadowThing& thing, bool by_address) {
  for (const ShadowNode& node : nodes) {
    const bool has_address = (node.work == Work::chase || node.by_address) && node.helper != &thing;
    if (node.work != Work::captured && !node.idle && node.points_into(thing) &&
        has_address == by_address)
      return &node;
  }
  return nullptr;
}

bool is_plain(Window window) {
  return window == Window::argument_dropped || window == Window::operand_dropped ||
         window == Window::stream_or_event_closed || window == Window::module_dropped;
}

}  // namespace

// Bare addresses are the weakest evidence, so nodes that hold the thing come first.
Window ShadowUsers::window_of(const ShadowThing& thing) const {
  for (const bool by_address : {false, true})
    if (const auto window = window_of_users(thing, by_address)) return *window;
  for (const bool by_address : {false, true})
    if (const auto window = window_of_launches(thing, by_address, true)) return *window;
  return is_captured(thing) ? Window::captured_dropped : Window::argument_dropped;
}

// A launch that one task has waited for may be in flight for another, which does not know it.
std::optional<Window> ShadowUsers::window_of_launches(const ShadowThing& thing, bool by_address,
                                                      bool finished) const {
  for (const ShadowLaunch& launch : records_.launches()) {
    if (launch.finished != finished) continue;
    const ShadowNode* node = user_of(launch.nodes, thing, by_address);
    if (node == nullptr) continue;
    const Window use = window_of_use(*node, thing);
    if (!is_plain(use)) return use;
    if (node->updated && launch.exec->appended) return Window::update_failed;
    if (launch.exec->gone) return Window::executable_closed;
    if (node->updated || !uses(launch.exec->nodes, thing)) return Window::executable_changed;
    return was_lost(*node, thing, launch.exec->source) ? Window::node_changed
                                                       : Window::dropped_in_flight;
  }
  return std::nullopt;
}

// A launch in flight is stronger evidence than an executable, and that is stronger than a
// definition. Strongest is an object that the caller must keep.
std::optional<Window> ShadowUsers::window_of_users(const ShadowThing& thing,
                                                   bool by_address) const {
  if (const auto window = window_of_launches(thing, by_address, false)) return window;
  for (const ShadowExec* exec : records_.execs()) {
    const ShadowNode* node = exec->gone ? nullptr : user_of(exec->nodes, thing, by_address);
    if (node == nullptr) continue;
    const Window use = window_of_use(*node, thing);
    if (!is_plain(use)) return use;
    if (node->updated) return exec->appended ? Window::update_failed : Window::executable_changed;
    if (was_lost(*node, thing, exec->source)) return Window::node_changed;
    return exec->source->gone ? Window::definition_dropped : use;
  }
  for (const ShadowGraph* graph : records_.graphs()) {
    const ShadowNode* node = graph->gone ? nullptr : user_of(graph->nodes, thing, by_address);
    if (node == nullptr) continue;
    const Window use = window_of_use(*node, thing);
    return is_plain(use) && was_lost(*node, thing, nullptr) ? Window::node_changed : use;
  }
  return std::nullopt;
}

// An executable has its source's things at that time; a clone has those at its creation. For a
// child's copy or a branch only the node's id can tell.
bool ShadowUsers::was_lost(const ShadowNode& node, const ShadowThing& thing,
                           const ShadowGraph* source) const {
  if (source != nullptr && !uses(source->nodes, thing)) return true;
  return std::any_of(records_.graphs().begin(), records_.graphs().end(),
                     [&](const ShadowGraph* graph) {
                       return std::any_of(graph->lost.begin(), graph->lost.end(),
                                          [&](const ShadowGraph::Lost& lost) {
                                            return lost.node == node.id && lost.thing == &thing;
                                          });
                     });
}

bool ShadowUsers::is_captured(const ShadowThing& thing) const {
  return std::any_of(
      records_.graphs().begin(), records_.graphs().end(), [&](const ShadowGraph* graph) {
        return std::any_of(graph->nodes.begin(), graph->nodes.end(), [&](const ShadowNode& node) {
          return node.work == Work::captured && node.points_into(thing);
        });
      });
}

bool ShadowUsers::used(const ShadowThing& thing) const {
  const auto by = [&](const auto& nodes) { return uses(nodes, thing); };
  return std::any_of(records_.launches().begin(), records_.launches().end(),
                     [&](const auto& launch) { return !launch.finished && by(launch.nodes); }) ||
         std::any_of(records_.execs().begin(), records_.execs().end(),
                     [&](const auto* exec) { return !exec->gone && by(exec->nodes); }) ||
         std::any_of(records_.graphs().begin(), records_.graphs().end(), [&](const auto* graph) {
           return graph->parent == nullptr && !graph->gone && by(graph->nodes);
         });
}

bool ShadowUsers::let_go(const ShadowNodes& nodes) const {
  for (const ShadowNode& node : nodes)
    for (const ShadowThing* thing : node.all())
      if (thing != nullptr && node.work != Work::captured && thing->lost() && !used(*thing))
        return true;
  return false;
}

// ---- cycles -------------------------------------------------------------------------------------

static const ShadowGraph& root_of(const ShadowGraph& graph) {
  return graph.parent != nullptr ? root_of(*graph.parent) : graph;
}

// A handle of a child's graph keeps the whole outer graph.
bool ShadowUsers::leads_to(const ShadowThing& from, const ShadowThing& to,
                           std::uint32_t depth) const {
  if (from.attribute == nullptr || depth == 0) return false;
  const ShadowGraph& kept = root_of(*from.attribute);
  const auto leads = [&](const ShadowThing* next) {
    return next == &to || leads_to(*next, to, depth - 1);
  };
  return std::any_of(records_.graphs().begin(), records_.graphs().end(),
                     [&](const ShadowGraph* graph) {
                       return &root_of(*graph) == &kept &&
                              std::any_of(graph->ever.begin(), graph->ever.end(), leads);
                     });
}

bool ShadowUsers::has_cycle() const {
  return std::any_of(records_.things().begin(), records_.things().end(),
                     [&](const ShadowThing* thing) { return leads_to(*thing, *thing, 4); });
}

}  // namespace scenarios::graph_argument
