// SPDX-License-Identifier: Apache-2.0
// Witnesses: the facts that the path reports of things, graphs and executables: what was made,
// referred to, changed and released, whatever a policy keeps.
//
// A fact says what was done, in cuda.core's terms. Nothing is expected, compared or decided here,
// and a witness returns nothing. Lifetime: outlive the run. Threads: called by the task that acts,
// in the middle of an operation: they may record, and must not call back or offer a turn.
#pragma once

#include "targets/graph_argument/vocabulary.h"

namespace targets::graph_argument {

// Facts name what they are about by numbers, each kind from 1 in every run.
enum class ThingId : std::uint32_t { none };
/// A definition, a clone, a capture, or a graph inside of a node.
enum class GraphId : std::uint32_t { none };
enum class NodeId : std::uint32_t { none };
enum class ExecId : std::uint32_t { none };

/// Nodes point into things.
enum class ThingKind : std::uint8_t { buffer, module, event, function };

using Things = std::array<ThingId, 2>;

/// A node, as a call adds it.
struct NodeFacts {
  Work work;
  Things things{};
  ThingId helper = ThingId::none;              ///< A module, an event, or a function.
  std::uint32_t branch = 0;                    ///< The one that a conditional node runs.
  std::array<GraphId, kBranchCount> bodies{};  ///< A child's graph, or branches.
  NodeId allocation = NodeId::none;            ///< The node whose memory it frees or works in.
  bool by_address = false;                     ///< It was given numbers, which cannot be kept.
};

class ThingWitness {
 public:
  virtual ~ThingWitness() = default;

  virtual void thing_made(ThingId thing, ThingKind kind) = 0;
  /// A variable or a cycle of the script refers to the thing; or one of them does so no more.
  virtual void reference_taken(ThingId thing) = 0;
  virtual void reference_dropped(ThingId thing) = 0;
  virtual void thing_closed(ThingId thing) = 0;
  /// The buffer refers to the definition from now on.
  virtual void attribute_set(ThingId buffer, GraphId definition) = 0;
  /// CUDA is about to be called for its end, at the place that the site names.
  virtual void thing_ends(ThingId thing) = 0;
};

/// Facts of definitions, clones, captures and what is inside of nodes.
class GraphWitness {
 public:
  virtual ~GraphWitness() = default;

  // ---- graphs: `parent` is the graph that has it inside of a node ----
  virtual void graph_made(GraphId graph, GraphId parent) = 0;
  virtual void graph_cloned(GraphId clone, GraphId from, GraphId parent) = 0;
  /// Only CUDA holds it any more.
  virtual void graph_dropped(GraphId graph) = 0;

  // ---- nodes ----
  virtual void node_added(GraphId graph, NodeId node, const NodeFacts& facts) = 0;
  /// A node was to be added, and could not be.
  virtual void node_refused() = 0;
  /// All that the node needs is attached to the graph, or something could not be.
  virtual void node_attached(GraphId graph, NodeId node, bool well) = 0;
  virtual void node_changed(GraphId graph, NodeId node, const Things& things) = 0;
  virtual void node_destroyed(GraphId graph, NodeId node) = 0;
  /// CUDA has a graph or a node by this handle from now on, or had until now.
  virtual void handle_born(std::uint64_t handle) = 0;
  virtual void handle_died(std::uint64_t handle) = 0;

  // ---- memory of graphs ----
  /// A node of the graph is about to free what the other node allocates.
  virtual void frees(GraphId graph, NodeId allocation) = 0;
  /// The node that frees it was added.
  virtual void freed(GraphId graph, NodeId allocation) = 0;
  /// A node of the graph is about to work in it.
  virtual void works_in(GraphId graph, NodeId allocation) = 0;
};

class ExecWitness {
 public:
  virtual ~ExecWitness() = default;

  virtual void exec_made(ExecId exec, GraphId graph) = 0;
  virtual void exec_node_changed(ExecId exec, NodeId node, const Things& things) = 0;
  virtual void exec_updated(ExecId exec, GraphId graph) = 0;
  /// CUDA has reported an error that does not say whether it has updated the executable.
  virtual void exec_in_doubt(ExecId exec, GraphId graph) = 0;
  /// Owners are about to be appended to what keeps those of the executable.
  virtual void exec_appended(ExecId exec) = 0;
  virtual void exec_dropped(ExecId exec) = 0;
  /// The executable is about to be launched.
  virtual void launches(ExecId exec, StreamName stream) = 0;
  /// A launch was refused.
  virtual void launch_failed() = 0;
};

}  // namespace targets::graph_argument
