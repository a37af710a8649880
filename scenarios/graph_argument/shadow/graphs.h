// SPDX-License-Identifier: Apache-2.0
// ShadowGraphs: the script's actions on its graphs and their nodes, and the dead
// handles.
#pragma once

#include "scenarios/graph_argument/shadow/users.h"
#include "scenarios/graph_argument/windows.h"

namespace scenarios::graph_argument {

/// Ownership: borrows all members.
class ShadowGraphs final : public targets::graph_argument::GraphWitness {
 public:
  using GraphId = targets::graph_argument::GraphId;
  using NodeFacts = targets::graph_argument::NodeFacts;
  using NodeId = targets::graph_argument::NodeId;
  using Things = targets::graph_argument::Things;
  using Work = targets::graph_argument::Work;

  ShadowGraphs(ShadowRecords& records, const ShadowUsers& users, Passages& passages)
      : records_(records), users_(users), passages_(passages) {}

  /// Returns whether a graph or a node had this handle, and none has it now.
  bool is_dead(std::uint64_t handle) const;

  // ---- graphs ----
  void graph_made(GraphId graph, GraphId parent) override;
  void graph_cloned(GraphId clone, GraphId from, GraphId parent) override;
  void graph_dropped(GraphId graph) override;

  // ---- nodes ----
  void node_added(GraphId graph, NodeId node, const NodeFacts& facts) override;
  void node_refused() override { passages_.reach(Window::attachment_failed); }
  void node_attached(GraphId graph, NodeId node, bool well) override;
  void node_changed(GraphId graph, NodeId node, const Things& things) override;
  void node_destroyed(GraphId graph, NodeId node) override;
  void handle_born(std::uint64_t handle) override;
  void handle_died(std::uint64_t handle) override { dead_handles_.push_back(handle); }

  // ---- memory of graphs ----
  void frees(GraphId graph, NodeId allocation) override;
  void freed(GraphId graph, NodeId allocation) override;
  void works_in(GraphId graph, NodeId allocation) override;

 private:
  ShadowGraph& clone(const ShadowGraph& graph, ShadowGraph* parent);
  static ShadowNode* find(ShadowGraph& graph, NodeId node);

  ShadowRecords& records_;
  const ShadowUsers& users_;
  Passages& passages_;
  std::pmr::vector<std::uint64_t> dead_handles_;
};

}  // namespace scenarios::graph_argument
