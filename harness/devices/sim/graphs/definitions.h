// SPDX-License-Identifier: Apache-2.0
// GraphDefinitions: graphs and their nodes, as programs define them, and all changes of them.
#pragma once

#include <cuda.h>

#include <span>
#include <vector>

#include "harness/devices/sim/graphs/executable.h"
#include "harness/devices/sim/graphs/graph.h"
#include "harness/devices/sim/graphs/reused.h"
#include "harness/devices/sim/handles_recycled.h"

namespace harness::devices {

class SimDevice;

/// Ownership: owns graphs, nodes and the work of nodes, and keeps the storage from run to run.
class GraphDefinitions {
 public:
  explicit GraphDefinitions(SimDevice& sim) : sim_(sim) {}
  void begin();

  const auto& graphs() const { return graphs_; }
  const auto& nodes() const { return nodes_; }

  Graph& create(Label kind = "graph");
  /// Makes the parameters of a node at the current site. The caller fills them in before they are
  /// shared.
  NodeParams& fresh_params(CUgraphNodeType type, Label label);
  /// Makes a copy of attributes for the caller to change.
  KernelAttributes& fresh_attributes(const KernelAttributes& old);
  /// Returns an empty list of edges, which is valid until the next call.
  std::vector<GraphEdge>& scratch_edges() {
    scratch_edges_.clear();
    return scratch_edges_;
  }

  /// Returns a launch for values that are only checked.
  Launch& scratch_launch() { return scratch_launch_; }

  GraphNode& add(Graph& graph, const NodeParams& params, std::span<const GraphEdge> after);
  /// Adds an embedded copy of `body`.
  GraphNode& add_child(Graph& graph, Graph& body, std::span<const GraphEdge> after);
  /// Adds `body` itself, which the node then owns.
  GraphNode& add_moved(Graph& graph, Graph& body, std::span<const GraphEdge> after);
  /// Adds a node with `count` empty bodies.
  GraphNode& add_conditional(Graph& graph, const NodeParams& params, unsigned count,
                             std::span<const GraphEdge> after);

  Graph& clone(const Graph& graph, GraphNode* owner);
  void destroy(Graph& graph);
  /// Removes the node from its graph.
  void destroy(GraphNode& node);

 private:
  SimDevice& sim_;
  RecycledHandles<Graph, HandleKind::graph> graphs_;
  RecycledHandles<GraphNode, HandleKind::graph_node> nodes_;
  Reused<NodeParams> params_;
  Reused<KernelAttributes> attributes_;
  std::vector<GraphEdge> scratch_edges_;
  Launch scratch_launch_;
};

}  // namespace harness::devices
