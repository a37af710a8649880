// SPDX-License-Identifier: Apache-2.0
#include "scenarios/graph_argument/model/calls.h"

#include "scenarios/graph_argument/model/records.h"

namespace scenarios::graph_argument {

NodeId Call::after() const {
  if (made != nullptr) return asked.op == Op::add_kernel ? made->node : NodeId::none;
  if (referred_count == 0) return NodeId::none;
  if (asked.op != Op::launch_captured) return referred[0]->node;
  const NodeList& nodes = referred[0]->graph->nodes;
  return nodes.empty() ? NodeId::none : nodes.back().id;
}

Call& Calls::begin(const Asked& asked) {
  Call* call = world_.arena.make<Call>();
  call->asked = asked;
  call->task = world_.scheduler.current();
  call->number = ++call_count_;
  call->faults = world_.history.faults().size();
  call->events = world_.history.events().size();
  call->injected = world_.injected_failures;
  call->lives = world_.ledger.lives().size();
  calls_.push_back(call);
  return *call;
}

void Calls::capture_failed() {
  Call* call = current();
  if (call == nullptr || call->asked.op != Op::end_building) return;
  if (call->referred_count == 0) return;  // The collector ended another builder.
  if (!call->referred[0]->invalidated) return;
  call->referred[0]->capturing = false;
  call->ended_spoilt = true;
}

void Calls::end(Call& call) {
  std::erase(calls_, &call);
  if (call.asked.op == Op::add_conditional && call.referred_count > 0)
    met_condition(*call.referred[0]->graph);
  if (call.task == main_) ++script_calls_;
}

/// Calls on the graph may have found a condition without its node.
void Calls::met_condition(const Graph& graph) {
  for (Call* call : calls_)
    for (std::size_t i = 0; i < call->referred_count; ++i)
      if (const Graph* other = call->referred[i]->graph;
          other != nullptr && &other->root() == &graph.root())
        call->met_condition = true;
}

bool Calls::launches_elsewhere() const {
  const Call* mine = current();
  return std::ranges::any_of(
      calls_, [&](const Call* call) { return call != mine && call->asked.op == Op::launch; });
}

Call* Calls::current() const {
  const harness::TaskId task = world_.scheduler.current();
  for (Call* call : calls_)
    if (call->task == task) return call;
  return nullptr;
}

}  // namespace scenarios::graph_argument
