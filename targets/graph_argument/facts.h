// SPDX-License-Identifier: Apache-2.0
// Facts: numbers the objects that the path makes, and notifies the listeners.
#pragma once

#include <tuple>

#include "targets/graph_argument/graph_argument.h"

namespace targets::graph_argument {

class Facts {
 public:
  explicit Facts(const Setup& setup)
      : listeners_(setup.observer, setup.things, setup.graphs, setup.execs) {}

  template <class Listener, class... Parameters, class... Arguments>
  void tell(void (Listener::*fact)(Parameters...), const Arguments&... arguments) {
    if (Listener* const listener = std::get<Listener*>(listeners_); listener != nullptr)
      (listener->*fact)(arguments...);
  }

  ThingId make_thing(ThingKind kind) {
    const ThingId made = next(last_thing_);
    tell(&ThingWitness::thing_made, made, kind);
    return made;
  }
  GraphId make_graph(GraphId parent = GraphId::none) {
    const GraphId made = next(last_graph_);
    tell(&GraphWitness::graph_made, made, parent);
    return made;
  }
  GraphId clone_graph(GraphId from, GraphId parent = GraphId::none) {
    const GraphId made = next(last_graph_);
    tell(&GraphWitness::graph_cloned, made, from, parent);
    return made;
  }
  NodeId add_node(GraphId graph, const NodeFacts& facts) {
    const NodeId added = next(last_node_);
    tell(&GraphWitness::node_added, graph, added, facts);
    return added;
  }
  ExecId make_exec(GraphId graph) {
    const ExecId made = next(last_exec_);
    tell(&ExecWitness::exec_made, made, graph);
    return made;
  }

 private:
  template <class Id>
  static Id next(Id& last) {
    return last = static_cast<Id>(harness::raw(last) + 1);
  }

  std::tuple<Observer*, ThingWitness*, GraphWitness*, ExecWitness*> listeners_;
  ThingId last_thing_ = ThingId::none;
  GraphId last_graph_ = GraphId::none;
  NodeId last_node_ = NodeId::none;
  ExecId last_exec_ = ExecId::none;
};

}  // namespace targets::graph_argument
