// SPDX-License-Identifier: Apache-2.0
// ModelGraphs: the definitions of a script, and the graphs inside their nodes.
#pragma once

#include "scenarios/graph_argument/model/records.h"

namespace scenarios::graph_argument {

/// Ownership: borrows the world; a graph is in the run's arena.
class ModelGraphs {
 public:
  explicit ModelGraphs(harness::World& world) : world_(world) {}

  ModelGraph& add(ModelGraph* parent, harness::BirthId life);
  ModelGraph& copy(const ModelGraph& graph, ModelGraph* parent);
  /// Adds the node behind the one with that serial (0 for none), and gives it a new serial.
  ModelNode& add_node(ModelGraph& graph, ModelNode node, std::uint32_t after);
  const std::pmr::vector<ModelGraph*>& all() const { return graphs_; }

  /// A node frees the allocation, or failed to.
  void free(std::uint32_t allocation) { settled_.push_back(allocation); }
  /// The graph is instantiated: its unfreed allocations can no longer be freed by its nodes.
  void leave_memory(const ModelGraph& graph);
  /// Returns whether no node of its graph can free the allocation any more.
  bool is_settled(std::uint32_t allocation) const;

 private:
  harness::World& world_;
  std::pmr::vector<ModelGraph*> graphs_;
  std::pmr::vector<std::uint32_t> settled_;  ///< Serials of allocation nodes.
  std::uint32_t serials_ = 0;
};

}  // namespace scenarios::graph_argument
