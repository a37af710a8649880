// SPDX-License-Identifier: Apache-2.0
#include "scenarios/graph_argument/model/losses.h"

#include <algorithm>

namespace scenarios::graph_argument {

bool Losses::is_open(const Exec& exec) const {
  return !exec.closed && std::ranges::any_of(names_.all(), [&](const Wrapped* each) {
    return each->exec == &exec && names_.is_referenced(*each);
  });
}

// By a wrapper of it, of one of its nodes or of a graph inside, or by an attribute.
bool Losses::is_reachable(const Graph& root) const {
  return std::ranges::any_of(names_.all(),
                             [&](const Wrapped* each) {
                               return each->graph != nullptr && &each->graph->root() == &root &&
                                      names_.is_referenced(*each);
                             }) ||
         std::ranges::any_of(records_.things(), [&](const Thing* thing) {
           return thing->attribute != nullptr && &thing->attribute->root() == &root &&
                  ledger_.alive(thing->wrapper);
         });
}

template <class Test>
bool Losses::any_held(Test test) const {
  const auto any = [&](const NodeList& nodes) { return std::ranges::any_of(nodes, test); };
  return std::ranges::any_of(records_.graphs(),
                             [&](Graph* graph) {
                               return !graph->orphaned && any(graph->nodes) &&
                                      is_reachable(graph->root());
                             }) ||
         std::ranges::any_of(records_.execs(),
                             [&](const Exec* exec) {
                               return (any(exec->nodes) || any(exec->given)) && is_open(*exec);
                             }) ||
         std::ranges::any_of(records_.launched(), [&](const Launch& launch) {
           return !launch.finished && (any(launch.nodes) || any(launch.given));
         });
}

// A closed buffer is unused, except for copies and sets, which hold the memory itself.
bool Losses::is_used(const Thing& thing) const {
  const bool referenced = std::ranges::any_of(names_.all(), [&](const Wrapped* each) {
    return (each->thing == &thing || each->module == &thing) && names_.is_referenced(*each);
  });
  if (referenced && !thing.closed) return true;
  return any_held([&](const Node& node) {
    if (thing.kind != ThingKind::buffer) return node.keeps_helper() && node.helper == &thing;
    const bool has_memory = node.work == Work::copy || node.work == Work::set;
    return node.keeps_things() && node.points_into(thing) && (!thing.closed || has_memory);
  });
}

bool Losses::is_used(std::uint32_t call) const {
  const auto by_call = [&](const auto& calls) {
    return std::ranges::find(calls, call) != calls.end();
  };
  return any_held([&](const Node& node) { return node.made_by == call; }) ||
         std::ranges::any_of(records_.execs(),
                             [&](const Exec* exec) {
                               return (exec->made_by == call || by_call(exec->updated_by)) &&
                                      is_open(*exec);
                             }) ||
         std::ranges::any_of(records_.launched(), [&](const Launch& launch) {
           return !launch.finished && by_call(launch.calls);
         });
}

// A graph may keep one user object of its own, whichever node it came with.
bool Losses::is_only_one(const Holding& holding) const {
  if (holding.graph == nullptr || holding.graph->orphaned || !is_reachable(holding.graph->root()))
    return false;
  return std::ranges::none_of(holdings_, [&](const Holding& other) {
    return &other != &holding && other.of == Holding::Of::call && other.graph == holding.graph;
  });
}

bool Losses::is_used(const Holding& holding) const {
  switch (holding.of) {
    case Holding::Of::thing:
      return is_used(*holding.thing);
    case Holding::Of::graph:
      return is_reachable(holding.graph->root());
    case Holding::Of::exec:
      return is_open(*holding.exec);
    case Holding::Of::stream:
      return names_.is_referenced(*holding.builder);
    case Holding::Of::second_stream:
      return records_.is_second_stream_used();
    case Holding::Of::call:
      return is_used(holding.call) || is_only_one(holding);
  }
  return true;
}

bool Losses::look() {
  std::erase_if(holdings_, [&](const Holding& each) { return !ledger_.alive(each.life); });
  bool some = false;
  for (Holding& holding : holdings_) {
    const bool lost = !is_used(holding);
    if (!lost)
      holding.lost_at = 0, holding.awaited = false;
    else if (holding.lost_at == 0)
      holding.lost_at = calls_.script_calls() + 1;
    some = some || lost;
  }
  changed_ = false;
  return some_alive_ = some;
}

}  // namespace scenarios::graph_argument
