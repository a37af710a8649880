// SPDX-License-Identifier: Apache-2.0
#include "scenarios/graph_argument/shadow/execs.h"

#include <algorithm>

#include "scenarios/graph_argument/contract.h"

namespace scenarios::graph_argument {

static bool has_addresses(const ShadowNodes& nodes) {
  return std::any_of(nodes.begin(), nodes.end(),
                     [](const ShadowNode& node) { return node.by_address; });
}

void ShadowExecs::flatten(const ShadowGraph& graph, ShadowNodes& into, bool idle) {
  for (const ShadowNode& node : graph.nodes) {
    for (std::size_t i = 0; i < node.bodies.size(); ++i)
      if (node.bodies[i] != nullptr) flatten(*node.bodies[i], into, idle || !node.runs(i));
    if (node.bodies[0] != nullptr) continue;
    into.emplace_back(node).idle = idle;
  }
}

void ShadowExecs::exec_made(ExecId, GraphId graph) {
  ShadowExec& exec = records_.add_exec();
  exec.source = &records_.at(graph);
  flatten(*exec.source, exec.nodes);
}

void ShadowExecs::exec_node_changed(ExecId exec, NodeId changed, const Things& things) {
  for (ShadowNode& node : records_.at(exec).nodes) {
    if (node.id != changed) continue;
    node.things = records_.find(things);
    node.updated = true;
  }
}

// The executable still accepts updates by the nodes that it was made from.
void ShadowExecs::exec_updated(ExecId id, GraphId graph) {
  ShadowExec& exec = records_.at(id);
  const ShadowNodes before = std::exchange(exec.nodes, {});
  flatten(records_.at(graph), exec.nodes);
  const std::size_t count = std::min(before.size(), exec.nodes.size());
  for (std::size_t i = 0; i < count; ++i) exec.nodes[i].id = before[i].id;
  exec.source = &records_.at(graph);
  exec.in_doubt = exec.appended = false;
}

void ShadowExecs::exec_in_doubt(ExecId id, GraphId graph) {
  ShadowExec& exec = records_.at(id);
  const std::size_t count = exec.nodes.size();
  flatten(records_.at(graph), exec.nodes);
  for (std::size_t i = count; i < std::min(2 * count, exec.nodes.size()); ++i)
    exec.nodes[i].id = exec.nodes[i - count].id;
  exec.in_doubt = true;
}

void ShadowExecs::exec_appended(ExecId id) {
  ShadowExec& exec = records_.at(id);
  exec.appended = exec.in_doubt;
  if (exec.in_doubt) passages_.reach(Window::update_failed);
}

void ShadowExecs::exec_dropped(ExecId id) {
  ShadowExec& exec = records_.at(id);
  exec.gone = true;
  reach_let_go(exec.nodes);
}

// ---- launches -----------------------------------------------------------------------------------

void ShadowExecs::launches(ExecId id, StreamName stream) {
  ShadowExec& exec = records_.at(id);
  reach_lost(exec);
  reach_unfreed(exec);
  exec.launched = true;
  // The path has its own scope for the site, which ends with the call.
  if (has_addresses(exec.nodes))
    harness::SiteScope::rename(scene_.world().scheduler, kLaunchAddressSite);
  records_.launches().push_back({exec.nodes, &exec, stream, false});
}

// A task that began to wait during the call does not wait for this launch.
void ShadowExecs::launch_failed() {
  records_.launches().pop_back();
  for (std::size_t& mark : marks_) mark = std::min(mark, records_.launches().size());
}

void ShadowExecs::waits() {
  const std::size_t task = harness::raw(scene_.world().scheduler.current());
  if (task >= marks_.size()) marks_.resize(task + 1);
  marks_[task] = records_.launches().size();
}

void ShadowExecs::finished(StreamName stream) {
  const std::size_t mark = marks_[harness::raw(scene_.world().scheduler.current())];
  for (std::size_t i = 0; i < mark; ++i) {
    ShadowLaunch& launch = records_.launches()[i];
    if (launch.stream != stream || std::exchange(launch.finished, true)) continue;
    reach_let_go(launch.nodes);
  }
}

// For a thing that has already ended, the window of its end counts, not later events.
void ShadowExecs::reach_lost(const ShadowExec& exec) {
  for (const ShadowNode& node : exec.nodes)
    for (const ShadowThing* thing : node.all())
      if (thing != nullptr && !node.idle && thing->kind != ThingKind::function && thing->lost())
        passages_.reach(thing->end.value_or(users_.window_of(*thing)));
}

// A second launch of a graph that does not free its memory.
void ShadowExecs::reach_unfreed(const ShadowExec& exec) {
  for (const ShadowNode& node : exec.nodes)
    if (node.memory != nullptr && exec.launched && node.memory->freed_in == nullptr)
      passages_.reach(Window::graph_memory_misused);
}

void ShadowExecs::reach_let_go(const ShadowNodes& nodes) {
  if (users_.let_go(nodes)) passages_.reach(Window::dropped_in_callback);
}

}  // namespace scenarios::graph_argument
