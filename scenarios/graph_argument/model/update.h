// SPDX-License-Identifier: Apache-2.0
// Update: updates the model by the facts of the path.
//
// A call is recorded when it begins. The path reports when it loads a variable, what it makes,
// changes and releases, and when CUDA has done something for the call. A fact about an object
// updates its record; what was asked for it is taken from the recorded call, not from the path.
#pragma once

#include "scenarios/graph_argument/model/model.h"

namespace scenarios::graph_argument {

/// Records the facts that change the state. A derived class judges the others.
/// Ownership: in the run's arena; borrows the scene. Threads: those of the path.
class Update : public targets::graph_argument::Observer,
               public targets::graph_argument::ThingWitness,
               public targets::graph_argument::GraphWitness,
               public targets::graph_argument::ExecWitness {
 public:
  using NodeFacts = targets::graph_argument::NodeFacts;
  using Status = targets::graph_argument::Status;
  using Things = targets::graph_argument::Things;

  explicit Update(harness::Scene& scene) : model_(scene) {}

  Model& model() { return model_; }
  const Model& model() const { return model_; }

  /// The path is made: the script's streams exist.
  void begins();
  Call& begin(const Asked& asked);
  void end(Call& call, Status status);
  /// The device has finished all its work, according to code that is not a call of the path.
  void finished_all();

  /// Returns whether the path reports what CUDA has done for this op, with bound().
  static bool is_bound(Op op);

 private:
  // ---- Observer ----
  void referred(Variable variable, Wrapper wrapper) override;
  void stored(Variable variable, Wrapper wrapper) override;
  void bound() override;
  void closed(Wrapper) override { model_.losses.change(); }  // See thing_closed().
  void waits(StreamName stream) override;
  void finished(StreamName stream) override;
  void destructed() override;
  void drops_all(bool graphs) override;
  void capture_failed() override;
  void called_back() override;
  void pending_call_refused() override;
  void cleaned_up() override { model_.stuck = false; }

  // ---- ThingWitness ----
  void thing_made(ThingId thing, ThingKind kind) override;
  void reference_taken(ThingId thing) override { ++model_.records.at(thing).references; }
  void reference_dropped(ThingId thing) override;
  void thing_closed(ThingId thing) override;
  void attribute_set(ThingId buffer, GraphId definition) override;
  void thing_ends(ThingId thing) override;

  // ---- GraphWitness ----
  void graph_made(GraphId graph, GraphId parent) override;
  void graph_cloned(GraphId clone, GraphId from, GraphId parent) override;
  void graph_dropped(GraphId graph) override;
  void node_added(GraphId graph, NodeId node, const NodeFacts& facts) override;
  void node_refused() override;
  void node_attached(GraphId graph, NodeId node, bool well) override;
  void node_changed(GraphId graph, NodeId node, const Things& things) override;
  void node_destroyed(GraphId graph, NodeId node) override;
  void handle_born(std::uint64_t handle) override;
  void handle_died(std::uint64_t handle) override { model_.dead_handles.push_back(handle); }
  void frees(GraphId graph, NodeId allocation) override;
  void freed(GraphId graph, NodeId allocation) override;
  void works_in(GraphId graph, NodeId allocation) override;

  // ---- ExecWitness ----
  void exec_made(ExecId exec, GraphId graph) override;
  void exec_node_changed(ExecId exec, NodeId node, const Things& things) override;
  void exec_updated(ExecId exec, GraphId graph) override;
  void exec_in_doubt(ExecId exec, GraphId graph) override;
  void exec_appended(ExecId exec) override;
  void exec_dropped(ExecId exec) override;
  void launches(ExecId exec, StreamName stream) override;
  void launch_failed() override { model_.records.launches().pop_back(); }

  // ---- CUDA has done something for a call: the column `binds` of ops.def ----
  void unbound(Call&) {}   ///< The path does not report it.
  void reported(Call&) {}  ///< Another fact reports all that has changed.
  void bind_stream_of_free(Call& call);
  void bind_link(Call& call);
  void bind_cycle(Call& call);
  void bind_closed_stream(Call& call);
  void bind_capture(Call& call);
  void bind_captured(Call& call);
  void bind_body(Call& call);
  void bind_destroyed(Call& call);
  void bind_launch(Call& call);
  void bind_closed_graph(Call& call);

  Wrapped& wrap(Call& call, Kind kind);
  void name_root(Graph& graph);
  void take_arguments(const Call& call, const Graph& graph, Node& node) const;
  void name_node(Call& call, Graph& graph, const Node& node);
  std::array<Thing*, 2> named(const Things& things) const;
  Memory& memory_of(NodeId allocation) const;
  void let_go(const NodeList& nodes);
  void fail(const Call& call);
  void hold_user_objects(const Call& call);

  /// By op.
  static const std::array<void (Update::*)(Call&), kOpCount> kBinds;

  Model model_;
};

}  // namespace scenarios::graph_argument
