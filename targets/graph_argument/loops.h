// SPDX-License-Identifier: Apache-2.0
// Loops: the loops of a script, by graph. If the call that adds a loop's end has failed, the script
// knows that the loop never ends, and does not run a graph that contains it.
//
// Ownership: its records are in the run's arena. Threads: with the GIL.
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
    bool loops;  ///< Its body runs until a kernel ends the loop.
    std::array<Graph*, kBranchCount> bodies;
  };
  struct Graph {
    std::pmr::vector<Node> nodes;
    bool leaves = false;  ///< One of its nodes ends the loop whose body it is.
  };

  Graph& at(GraphId graph);
  Graph& copy(const Graph& graph);
  static bool never_end(const Graph& graph);

  harness::Arena& arena_;
  std::pmr::vector<Graph*> graphs_;  ///< Graphs by id; null if unknown.
};

}  // namespace targets::graph_argument
