// SPDX-License-Identifier: Apache-2.0
// How it works. The window of a thing's loss follows from its users at that time: a launch in
// flight, an executable, or only a definition. A fault is in the window of the end of its object.
// The window of memory, a library or an event is known since its end; for other objects their kind
// and the use site decide.
#include "scenarios/graph_argument/model/reach.h"

#include <algorithm>
#include <string>

#include "harness/core/fault/kinds.h"
#include "scenarios/graph_argument/contract.h"

namespace scenarios::graph_argument {

using harness::Fault;
using harness::FaultKind;
using harness::Label;

namespace {

// ---- users of a thing ---------------------------------------------------------------------------

/// Returns whether a node, or one inside it, has the thing and keeps it alive.
bool uses(const NodeList& nodes, const Thing& thing) {
  return std::ranges::any_of(nodes, [&](const Node& node) {
    return node.points_into(thing) || std::ranges::any_of(node.bodies, [&](const Graph* body) {
             return body != nullptr && uses(body->nodes, thing);
           });
  });
}

/// Returns whether a node that runs has the thing.
bool works_on(const NodeList& nodes, const Thing& thing) {
  return std::ranges::any_of(
      nodes, [&](const Node& node) { return !node.idle && node.points_into(thing); });
}

/// Returns the window by the kind of thing, or by how the node uses it.
Window window_of_use(const Node& node, const Thing& thing) {
  if (node.unowned) return Window::attachment_failed;
  if (thing.kind == ThingKind::module) return Window::module_dropped;
  if (thing.kind == ThingKind::event) return Window::stream_or_event_closed;
  if (node.work == Work::chase || node.by_address) return Window::bare_address_dropped;
  if (thing.closed && targets::graph_argument::is_kernel(node.work)) return Window::buffer_closed;
  return node.work == Work::copy || node.work == Work::set ? Window::operand_dropped
                                                           : Window::argument_dropped;
}

/// Returns a node that has the thing by its wrapper, or only by its address. Skips captured
/// launches: the caller must keep everything that they use.
const Node* user_of(const NodeList& nodes, const Thing& thing, bool by_address) {
  for (const Node& node : nodes) {
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

/// Returns whether `source`, or a definition with the original node, has lost the thing. An
/// executable has its source's things at that time; a clone has those at its creation. For a
/// child's copy or a branch only the node's id can tell.
bool was_lost(const Records& records, const Node& node, const Thing& thing, const Graph* source) {
  if (source != nullptr && !uses(source->nodes, thing)) return true;
  return std::ranges::any_of(records.graphs(), [&](const Graph* graph) {
    return std::ranges::any_of(graph->lost, [&](const Graph::Lost& lost) {
      return lost.node == node.id && lost.thing == &thing;
    });
  });
}

/// Returns the window by a launch that has the thing, among those that are known to be finished, or
/// the others. A launch that one task has waited for may be in flight for another, which does not
/// know it.
std::optional<Window> window_of_launches(const Records& records, const Thing& thing,
                                         bool by_address, bool awaited) {
  for (const Launch& launch : records.launches()) {
    if (launch.awaited != awaited) continue;
    const Node* node = user_of(launch.nodes, thing, by_address);
    if (node == nullptr) continue;
    const Window use = window_of_use(*node, thing);
    if (!is_plain(use)) return use;
    if (node->updated && launch.exec->appended) return Window::update_failed;
    if (launch.exec->dropped) return Window::executable_closed;
    if (node->updated || !uses(launch.exec->nodes, thing)) return Window::executable_changed;
    return was_lost(records, *node, thing, launch.exec->latest) ? Window::node_changed
                                                                : Window::dropped_in_flight;
  }
  return std::nullopt;
}

/// Returns the window by what may still use the thing. A launch in flight is stronger evidence than
/// an executable, and that is stronger than a definition. Strongest is an object that the caller
/// must keep.
std::optional<Window> window_of_users(const Records& records, const Thing& thing, bool by_address) {
  if (const auto window = window_of_launches(records, thing, by_address, false)) return window;
  for (const Exec* exec : records.execs()) {
    const Node* node = exec->dropped ? nullptr : user_of(exec->nodes, thing, by_address);
    if (node == nullptr) continue;
    const Window use = window_of_use(*node, thing);
    if (!is_plain(use)) return use;
    if (node->updated) return exec->appended ? Window::update_failed : Window::executable_changed;
    if (was_lost(records, *node, thing, exec->latest)) return Window::node_changed;
    return exec->latest->dropped ? Window::definition_dropped : use;
  }
  for (const Graph* graph : records.graphs()) {
    const Node* node = graph->dropped ? nullptr : user_of(graph->nodes, thing, by_address);
    if (node == nullptr) continue;
    const Window use = window_of_use(*node, thing);
    return is_plain(use) && was_lost(records, *node, thing, nullptr) ? Window::node_changed : use;
  }
  return std::nullopt;
}

/// Returns whether a captured launch uses it.
bool is_captured(const Records& records, const Thing& thing) {
  return std::ranges::any_of(records.graphs(), [&](const Graph* graph) {
    return std::ranges::any_of(graph->nodes, [&](const Node& node) {
      return node.work == Work::captured && node.points_into(thing);
    });
  });
}

/// Returns whether anything that is not gone has the thing.
bool is_used(const Records& records, const Thing& thing) {
  return std::ranges::any_of(
             records.launches(),
             [&](const Launch& launch) { return !launch.awaited && uses(launch.nodes, thing); }) ||
         std::ranges::any_of(
             records.execs(),
             [&](const Exec* exec) { return !exec->dropped && uses(exec->nodes, thing); }) ||
         std::ranges::any_of(records.graphs(), [&](const Graph* graph) {
           return graph->parent == nullptr && !graph->dropped && uses(graph->nodes, thing);
         });
}

}  // namespace

// Bare addresses are the weakest evidence, so nodes that hold the thing come first.
Window window_of(const Records& records, const Thing& thing) {
  for (const bool by_address : {false, true})
    if (const auto window = window_of_users(records, thing, by_address)) return *window;
  for (const bool by_address : {false, true})
    if (const auto window = window_of_launches(records, thing, by_address, true)) return *window;
  return is_captured(records, thing) ? Window::captured_dropped : Window::argument_dropped;
}

bool has_last_of(const Records& records, const NodeList& nodes) {
  for (const Node& node : nodes)
    for (const Thing* thing : node.all())
      if (thing != nullptr && node.work != Work::captured && thing->lost() &&
          !is_used(records, *thing))
        return true;
  return false;
}

// ---- cycles -------------------------------------------------------------------------------------

// A handle of a child's graph keeps the whole outer graph.
static bool leads_to(const Records& records, const Thing& from, const Thing& to,
                     std::uint32_t depth) {
  if (from.attribute == nullptr || depth == 0) return false;
  const Graph& kept = from.attribute->root();
  return std::ranges::any_of(records.graphs(), [&](const Graph* graph) {
    return &graph->root() == &kept && std::ranges::any_of(graph->ever, [&](const Thing* next) {
      return next == &to || leads_to(records, *next, to, depth - 1);
    });
  });
}

bool has_cycle(const Records& records) {
  return std::ranges::any_of(
      records.things(), [&](const Thing* thing) { return leads_to(records, *thing, *thing, 4); });
}

// ---- windows that a run reaches -----------------------------------------------------------------

void reach(Model& model, Window window) {
  model.scene.reach(harness::raw(window));
  model.scene.exercised();
}

Window reach_by_loss(Model& model, const Thing& thing) {
  const Window window = window_of(model.records, thing);
  const bool in_flight = std::ranges::any_of(model.records.launches(), [&](const Launch& launch) {
    return !launch.awaited && works_on(launch.nodes, thing);
  });
  if (in_flight) reach(model, window);
  return window;
}

// For a thing that has already ended, the window of its end counts, not later events. A second
// launch of a graph that does not free its memory misuses it.
void reach_by_launch(Model& model, const Exec& exec) {
  for (const Node& node : exec.nodes) {
    for (const Thing* thing : node.all())
      if (thing != nullptr && !node.idle && thing->kind != ThingKind::function && thing->lost())
        reach(model, thing->end.value_or(window_of(model.records, *thing)));
    if (node.memory != nullptr && exec.launched && node.memory->freed_in == nullptr)
      reach(model, Window::graph_memory_misused);
  }
}

// ---- the window of a fault ----------------------------------------------------------------------

namespace {

bool is_kernel(Label use) {
  return !use.empty() &&
         std::ranges::find(kContract, use, &harness::ContractClause::use_site) != kContract.end();
}

/// Returns whether it is a graph that its builder owned, or wrongly believed to own.
bool is_builders(const Fault& fault) {
  for (const Label site : {fault.death_site, fault.use_site})
    if (site == targets::graph_argument::kBuilderEndSite ||
        site == targets::graph_argument::kBuilderCloseSite)
      return true;
  return false;
}

/// Returns the recycled use from which a wrong value has its sites, or the fault itself.
const Fault& cause_of(const harness::Scene& scene, const Fault& fault) {
  if (fault.kind != FaultKind::wrong_value || fault.death_site.empty()) return fault;
  const Fault* cause = &fault;
  for (const Fault& earlier : scene.world().history.faults()) {
    if (&earlier == &fault) break;
    if (earlier.kind == FaultKind::recycled_use) cause = &earlier;
  }
  return *cause;
}

/// Returns the window of the end of the thing with a lifetime of that name; none if it has not
/// ended.
std::optional<Window> window_of_life(const Model& model, harness::Name life) {
  const harness::Ledger& ledger = model.scene.world().ledger;
  for (const Thing* thing : model.records.things())
    if (thing->end && ledger.life(thing->life).name == life) return thing->end;
  return std::nullopt;
}

/// Returns the window of the end of memory, a library or an event.
std::optional<Window> window_of_end(const Model& model, const Fault& fault) {
  if (fault.use_site == kLaunchAddressSite) return Window::bare_address_dropped;
  if (fault.death_site == targets::graph_argument::kBufferCloseSite)
    return is_kernel(fault.use_site) ? Window::buffer_closed : Window::operand_dropped;
  const auto window = window_of_life(model, cause_of(model.scene, fault).object);
  // A bare address may be that of an object that another node holds by its buffer.
  const bool bare = window == Window::bare_address_dropped && !(fault.use_site == Label("chase"));
  return bare ? Window::argument_dropped : window;
}

/// Returns the window of an object that is not memory.
std::optional<Window> window_of_kind(const Fault& fault) {
  const Label kind = fault.object_kind;
  if (kind == targets::graph_argument::kInterpreterKind) return Window::dropped_in_callback;
  // Only a slot that is emptied releases a function.
  if (kind == targets::graph_argument::kFunctionKind) return Window::node_changed;
  if (kind == Label("Stream") || kind == Label("Event")) return Window::stream_or_event_closed;
  const bool is_graph = kind == Label("graph");
  if (is_graph && is_builders(fault)) return Window::capture_invalidated;
  if (is_graph || kind == Label("graph node") || kind == Label("embedded graph"))
    return fault.kind == FaultKind::recycled_use ? Window::handle_reused : Window::child_destroyed;
  if (kind == Label("graph memory")) return Window::graph_memory_misused;
  if (kind == targets::graph_argument::kAccumulatorKind && fault.kind != FaultKind::retention)
    return Window::update_failed;
  if (kind == Label("reference cycle")) return Window::reference_cycle;
  return std::nullopt;
}

/// Returns whether CUDA was called by a thread in one of its callbacks.
bool is_callback(const Fault& fault) {
  return fault.kind == FaultKind::api_misuse &&
         (fault.object_kind == Label("user object destructor") ||
          fault.object_kind == Label("host function"));
}

/// Returns whether it is a cycle of the GIL and the driver's lock.
bool is_about_the_gil(const Fault& fault) {
  const bool hangs = fault.kind == FaultKind::lock_cycle || fault.kind == FaultKind::deadlock;
  const auto names = [&](const char* lock) { return fault.detail.find(lock) != std::string::npos; };
  return hangs && names("waits for GIL") && names("waits for driver lock");
}

/// An object that is unusable by the model's account is not part of a cycle.
std::optional<Window> window_of_retention(const Model& model, const Fault& fault) {
  const bool bounded = fault.use_site == kBoundSite;
  const bool stuck = !bounded && model.stuck;
  if (fault.use_site == kStuckSite || (stuck && !model.keeps_itself))
    return Window::pending_queue_full;
  if (bounded || !model.keeps_itself) return std::nullopt;
  return Window::reference_cycle;
}

std::optional<Window> window_of_fault(const Model& model, const Fault& fault) {
  if (fault.kind == FaultKind::retention) return window_of_retention(model, fault);
  if (fault.kind == FaultKind::refusal) return std::nullopt;
  if (is_about_the_gil(fault)) return Window::gil_kept_in_call;
  if (is_callback(fault)) return Window::dropped_in_callback;
  if (const auto window = window_of_end(model, fault)) return window;
  if (const auto window = window_of_kind(fault)) return window;
  const Fault& cause = cause_of(model.scene, fault);
  return &cause != &fault ? window_of_fault(model, cause) : std::nullopt;
}

}  // namespace

int window_of(const Model& model, const Fault& fault) {
  const std::optional<Window> window = window_of_fault(model, fault);
  return window ? harness::raw(*window) : -1;
}

}  // namespace scenarios::graph_argument
