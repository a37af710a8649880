// SPDX-License-Identifier: Apache-2.0
// ModelGraphs: the definitions of a script, and what is inside of their nodes.
#pragma once

#include "scenarios/graph_argument/model/records.h"

namespace scenarios::graph_argument {

/// Ownership: borrows the world; a graph is in the run's arena.
class ModelGraphs {
 public:
  explicit ModelGraphs(harness::World& world) : world_(world) {}

  ModelGraph& add(ModelGraph* parent, harness::BirthId life);
  ModelGraph& copy(const ModelGraph& graph, ModelGraph* parent);
  /// Adds the node after the one with that serial number, 0 for none, and gives it its own.
  ModelNode& add_node(ModelGraph& graph, ModelNode node, std::uint32_t after);
  const std::pmr::vector<ModelGraph*>& all() const { return graphs_; }

  /// A node frees what the other allocates, or was to.
  void free(std::uint32_t allocation) { settled_.push_back(allocation); }
  /// The graph is instantiated: what it allocates and does not free it cannot free any more.
  void leave_memory(const ModelGraph& graph);
  /// Returns whether a node of its graph cannot free what this one allocates.
  bool is_settled(std::uint32_t allocation) const;

 private:
  harness::World& world_;
  std::pmr::vector<ModelGraph*> graphs_;
  std::pmr::vector<std::uint32_t> settled_;  ///< Allocation nodes, by serial.
  std::uint32_t serials_ = 0;
};

}  // namespace scenarios::graph_argument
