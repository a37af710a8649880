// What nobody can use any more: neither a variable leads to it, nor a graph that can be reached,
// nor an executable that is open, nor a launch that may still run.
#include <algorithm>

#include "scenarios/graph_argument/model.h"

namespace scenarios::graph_argument {

using harness::BirthId;

// A cycle refers to what it holds until the collector finds it.
bool Model::is_referenced(const Wrapped& wrapped) const {
  const harness::Ledger& ledger = scene_.world().ledger;
  return std::find(variables_.begin(), variables_.end(), &wrapped) != variables_.end() ||
         std::any_of(cycles_.begin(), cycles_.end(), [&](const Cycle& cycle) {
           return cycle.held == &wrapped && ledger.alive(cycle.life);
         });
}

bool Model::is_open(const ModelExec& exec) const {
  return !exec.closed && std::any_of(wrapped_.begin(), wrapped_.end(), [&](const Wrapped* each) {
    return each->exec == &exec && is_referenced(*each);
  });
}

// By a wrapper of it, of a node of it, or of what is inside of one; or by an attribute.
bool Model::is_reachable(const ModelGraph& root) const {
  const harness::Ledger& ledger = scene_.world().ledger;
  return std::any_of(wrapped_.begin(), wrapped_.end(),
                     [&](const Wrapped* each) {
                       return each->graph != nullptr && &each->graph->root() == &root &&
                              is_referenced(*each);
                     }) ||
         std::any_of(things_.begin(), things_.end(), [&](const Thing* thing) {
           return thing->attribute != nullptr && &thing->attribute->root() == &root &&
                  ledger.alive(thing->wrapper);
         });
}

template <class Test>
bool Model::any_held(Test test) const {
  const auto any = [&](const ModelNodes& nodes) {
    return std::any_of(nodes.begin(), nodes.end(), test);
  };
  return std::any_of(graphs_.begin(), graphs_.end(),
                     [&](ModelGraph* graph) {
                       return !graph->destroyed && any(graph->nodes) && is_reachable(graph->root());
                     }) ||
         std::any_of(execs_.begin(), execs_.end(),
                     [&](const ModelExec* exec) {
                       return (any(exec->nodes) || any(exec->given)) && is_open(*exec);
                     }) ||
         std::any_of(launches_.begin(), launches_.end(), [&](const ModelLaunch& launch) {
           return !launch.finished && (any(launch.nodes) || any(launch.given));
         });
}

// What is closed is gone, but for copies and sets, which have the memory itself.
bool Model::is_used(const Thing& thing) const {
  const bool referenced = std::any_of(wrapped_.begin(), wrapped_.end(), [&](const Wrapped* each) {
    return (each->thing == &thing || each->module == &thing) && is_referenced(*each);
  });
  if (referenced && !thing.closed) return true;
  return any_held([&](const ModelNode& node) {
    if (thing.kind != Kind::buffer) return node.keeps_helper() && node.helper == &thing;
    const bool has_memory = node.work == Work::copy || node.work == Work::set;
    return node.keeps_things() && node.points_into(thing) && (!thing.closed || has_memory);
  });
}

bool Model::is_used(std::uint32_t call) const {
  const auto by_call = [&](const auto& calls) {
    return std::find(calls.begin(), calls.end(), call) != calls.end();
  };
  return any_held([&](const ModelNode& node) { return node.made_by == call; }) ||
         std::any_of(execs_.begin(), execs_.end(),
                     [&](const ModelExec* exec) {
                       return (exec->made_by == call || by_call(exec->updated_by)) &&
                              is_open(*exec);
                     }) ||
         std::any_of(launches_.begin(), launches_.end(), [&](const ModelLaunch& launch) {
           return !launch.finished && by_call(launch.calls);
         });
}

// A graph may have one of its own, whichever node it came with.
bool Model::is_only_one(const Holding& holding) const {
  if (holding.graph == nullptr || holding.graph->destroyed || !is_reachable(holding.graph->root()))
    return false;
  return std::none_of(holdings_.begin(), holdings_.end(), [&](const Holding& other) {
    return &other != &holding && other.of == Holding::Of::call && other.graph == holding.graph;
  });
}

// Closed, it stays for as long as there is memory to be freed on it.
bool Model::is_second_stream_used() const {
  return !stream_closed_ || std::any_of(things_.begin(), things_.end(), [&](const Thing* thing) {
    return thing->kind == Kind::buffer && thing->stream == StreamName::second &&
           is_alive(thing->life);
  });
}

bool Model::is_used(const Holding& holding) const {
  switch (holding.of) {
    case Holding::Of::thing:
      return is_used(*holding.thing);
    case Holding::Of::graph:
      return is_reachable(holding.graph->root());
    case Holding::Of::exec:
      return is_open(*holding.exec);
    case Holding::Of::stream:
      return is_referenced(*holding.builder);
    case Holding::Of::second_stream:
      return is_second_stream_used();
    case Holding::Of::call:
      return is_used(holding.call) || is_only_one(holding);
  }
  return true;
}

bool Model::note_lost() {
  const harness::Ledger& ledger = scene_.world().ledger;
  std::erase_if(holdings_, [&](const Holding& each) { return !ledger.alive(each.life); });
  bool some = false;
  for (Holding& holding : holdings_) {
    const bool lost = !is_used(holding);
    if (!lost)
      holding.lost_at = 0, holding.awaited = false;
    else if (holding.lost_at == 0)
      holding.lost_at = script_calls_ + 1;
    some = some || lost;
  }
  lost_some_ = false;
  return lost_alive_ = some;
}

}  // namespace scenarios::graph_argument
