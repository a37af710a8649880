// Facts: numbers what the path makes, and tells whoever listens.
//
// Ownership: borrows both listeners; either may be null. Threads: any, as they are.
#pragma once

#include "targets/graph_argument/graph_argument.h"

namespace targets::graph_argument {

class Facts {
 public:
  explicit Facts(const Setup& setup) : observer_(setup.observer), witness_(setup.witness) {}

  Observer* observer() const { return observer_; }

  template <class... Parameters, class... Arguments>
  void tell(void (Observer::*fact)(Parameters...), const Arguments&... arguments) {
    if (observer_ != nullptr) (observer_->*fact)(arguments...);
  }
  template <class... Parameters, class... Arguments>
  void tell(void (Witness::*fact)(Parameters...), const Arguments&... arguments) {
    if (witness_ != nullptr) (witness_->*fact)(arguments...);
  }

  ThingId make_thing(ThingKind kind) {
    const ThingId made = next(last_thing_);
    tell(&Witness::thing_made, made, kind);
    return made;
  }
  GraphId make_graph(GraphId parent = GraphId::none) {
    const GraphId made = next(last_graph_);
    tell(&Witness::graph_made, made, parent);
    return made;
  }
  GraphId clone_graph(GraphId from, GraphId parent = GraphId::none) {
    const GraphId made = next(last_graph_);
    tell(&Witness::graph_cloned, made, from, parent);
    return made;
  }
  NodeId add_node(GraphId graph, const NodeFacts& facts) {
    const NodeId added = next(last_node_);
    tell(&Witness::node_added, graph, added, facts);
    return added;
  }
  ExecId make_exec(GraphId graph) {
    const ExecId made = next(last_exec_);
    tell(&Witness::exec_made, made, graph);
    return made;
  }
  Circumstance end(ThingId thing) const {
    return witness_ != nullptr ? witness_->thing_ends(thing) : Circumstance::none;
  }
  bool ends(GraphId graph) const { return witness_ == nullptr || witness_->ends(graph); }

 private:
  template <class Id>
  static Id next(Id& last) {
    return last = static_cast<Id>(harness::raw(last) + 1);
  }

  Observer* observer_;
  Witness* witness_;
  ThingId last_thing_ = ThingId::none;
  GraphId last_graph_ = GraphId::none;
  NodeId last_node_ = NodeId::none;
  ExecId last_exec_ = ExecId::none;
};

}  // namespace targets::graph_argument
