// SPDX-License-Identifier: Apache-2.0
#include "scenarios/graph_argument/model/losses.h"

#include <algorithm>

namespace scenarios::graph_argument {

bool ModelLosses::is_open(const ModelExec& exec) const {
  return !exec.closed &&
         std::any_of(names_.all().begin(), names_.all().end(), [&](const Wrapped* each) {
           return each->exec == &exec && names_.is_referenced(*each);
         });
}

// By a wrapper of it, of one of its nodes or of a graph inside, or by an attribute.
bool ModelLosses::is_reachable(const ModelGraph& root) const {
  return std::any_of(names_.all().begin(), names_.all().end(),
                     [&](const Wrapped* each) {
                       return each->graph != nullptr && &each->graph->root() == &root &&
                              names_.is_referenced(*each);
                     }) ||
         std::any_of(things_.all().begin(), things_.all().end(), [&](const Thing* thing) {
           return thing->attribute != nullptr && &thing->attribute->root() == &root &&
                  ledger_.alive(thing->wrapper);
         });
}

template <class Test>
bool ModelLosses::any_held(Test test) const {
  const auto any = [&](const ModelNodes& nodes) {
    return std::any_of(nodes.begin(), nodes.end(), test);
  };
  return std::any_of(graphs_.all().begin(), graphs_.all().end(),
                     [&](ModelGraph* graph) {
                       return !graph->destroyed && any(graph->nodes) && is_reachable(graph->root());
                     }) ||
         std::any_of(runs_.execs().begin(), runs_.execs().end(),
                     [&](const ModelExec* exec) {
                       return (any(exec->nodes) || any(exec->given)) && is_open(*exec);
                     }) ||
         std::any_of(runs_.launches().begin(), runs_.launches().end(),
                     [&](const ModelLaunch& launch) {
                       return !launch.finished && (any(launch.nodes) || any(launch.given));
                     });
}

// A closed buffer is unused, except for copies and sets, which hold the memory itself.
bool ModelLosses::is_used(const Thing& thing) const {
  const bool referenced =
      std::any_of(names_.all().begin(), names_.all().end(), [&](const Wrapped* each) {
        return (each->thing == &thing || each->module == &thing) && names_.is_referenced(*each);
      });
  if (referenced && !thing.closed) return true;
  return any_held([&](const ModelNode& node) {
    if (thing.kind != Kind::buffer) return node.keeps_helper() && node.helper == &thing;
    const bool has_memory = node.work == Work::copy || node.work == Work::set;
    return node.keeps_things() && node.points_into(thing) && (!thing.closed || has_memory);
  });
}

bool ModelLosses::is_used(std::uint32_t call) const {
  const auto by_call = [&](const auto& calls) {
    return std::find(calls.begin(), calls.end(), call) != calls.end();
  };
  return any_held([&](const ModelNode& node) { return node.made_by == call; }) ||
         std::any_of(runs_.execs().begin(), runs_.execs().end(),
                     [&](const ModelExec* exec) {
                       return (exec->made_by == call || by_call(exec->updated_by)) &&
                              is_open(*exec);
                     }) ||
         std::any_of(
             runs_.launches().begin(), runs_.launches().end(),
             [&](const ModelLaunch& launch) { return !launch.finished && by_call(launch.calls); });
}

// A graph may keep one user object of its own, whichever node it came with.
bool ModelLosses::is_only_one(const Holding& holding) const {
  if (holding.graph == nullptr || holding.graph->destroyed || !is_reachable(holding.graph->root()))
    return false;
  return std::none_of(holdings_.begin(), holdings_.end(), [&](const Holding& other) {
    return &other != &holding && other.of == Holding::Of::call && other.graph == holding.graph;
  });
}

bool ModelLosses::is_used(const Holding& holding) const {
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
      return things_.is_second_stream_used();
    case Holding::Of::call:
      return is_used(holding.call) || is_only_one(holding);
  }
  return true;
}

bool ModelLosses::look() {
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
