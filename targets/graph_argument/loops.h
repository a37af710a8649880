// SPDX-License-Identifier: Apache-2.0
// Loops: the loops of a script, by the graphs that they are in. A script knows those that nothing
// ends, as a call has failed that was to add what ends them, and runs no graph that has one.
//
// Ownership: what it remembers is in the run's arena. Threads: with the GIL.
#pragma once

#include <memory_resource>
#include <vector>

#include "targets/graph_argument/witness.h"

namespace targets::graph_argument {

class Loops {
 public:
  explicit Loops(harness::Arena& arena) : arena_(arena) {}

  void node_added(GraphId graph, NodeId node, const NodeFacts& facts);
  void node_destroyed(GraphId graph, NodeId node);
  void graph_copied(GraphId copy, GraphId from);
  /// Returns whether a launch of the graph may never end.
  bool never_end(GraphId graph) { return never_end(at(graph)); }

 private:
  struct Graph;
  /// A node with graphs inside.
  struct Node {
    NodeId id;
    bool loops;  ///< Its body runs until something ends it.
    std::array<Graph*, kBranchCount> bodies;
  };
  struct Graph {
    std::pmr::vector<Node> nodes;
    bool leaves = false;  ///< A node of it ends the loop that it is the body of.
  };

  Graph& at(GraphId graph);
  Graph& copy(const Graph& graph);
  static bool never_end(const Graph& graph);

  harness::Arena& arena_;
  std::pmr::vector<Graph*> graphs_;  ///< Graphs by number; null if unknown.
};

}  // namespace targets::graph_argument
