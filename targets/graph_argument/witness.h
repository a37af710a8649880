// SPDX-License-Identifier: Apache-2.0
// Witnesses: receive facts about things, graphs and executables: how they are made, referred to,
// changed and released, whatever a policy keeps.
//
// A fact is an action, in cuda.core's terms. Nothing is expected, compared or decided here, and a
// witness returns nothing. Lifetime: outlive the run. Threads: called by the acting task in the
// middle of an operation: they may record, but must neither call back nor offer a preemption point.
#pragma once

#include "targets/graph_argument/vocabulary.h"

namespace targets::graph_argument {

// Ids in facts. Each kind is numbered from 1 in every run.
enum class ThingId : std::uint32_t { none };
/// A definition, a clone, a capture, or a graph inside a node.
enum class GraphId : std::uint32_t { none };
enum class NodeId : std::uint32_t { none };
enum class ExecId : std::uint32_t { none };

/// Kinds of objects that nodes point into.
enum class ThingKind : std::uint8_t { buffer, module, event, function };

using Things = std::array<ThingId, 2>;

/// A node, as it is added.
struct NodeFacts {
  Work work;
  Things things{};
  ThingId helper = ThingId::none;              ///< A module, an event, or a function.
  std::uint32_t branch = 0;                    ///< Branch that a conditional node runs.
  std::array<GraphId, kBranchCount> bodies{};  ///< A child's graph, or branches.
  NodeId allocation = NodeId::none;            ///< Node whose memory it frees or uses.
  bool by_address = false;                     ///< It got bare numbers, which keep nothing alive.
};

class ThingWitness {
 public:
  virtual ~ThingWitness() = default;

  virtual void thing_made(ThingId thing, ThingKind kind) = 0;
  /// A variable or a cycle of the script refers to the thing, or no longer does.
  virtual void reference_taken(ThingId thing) = 0;
  virtual void reference_dropped(ThingId thing) = 0;
  virtual void thing_closed(ThingId thing) = 0;
  /// The buffer now refers to the definition.
  virtual void attribute_set(ThingId buffer, GraphId definition) = 0;
  /// CUDA is about to be called to destroy it, at the place that the site names.
  virtual void thing_ends(ThingId thing) = 0;
};

/// Facts about definitions, clones, captures and graphs inside nodes.
class GraphWitness {
 public:
  virtual ~GraphWitness() = default;

  // ---- graphs: `parent` is the graph that has it inside of a node ----
  virtual void graph_made(GraphId graph, GraphId parent) = 0;
  virtual void graph_cloned(GraphId clone, GraphId from, GraphId parent) = 0;
  /// From now on only CUDA holds it.
  virtual void graph_dropped(GraphId graph) = 0;

  // ---- nodes ----
  virtual void node_added(GraphId graph, NodeId node, const NodeFacts& facts) = 0;
  /// Adding a node failed.
  virtual void node_refused() = 0;
  /// All owners of the node are attached to the graph, or `well` is false.
  virtual void node_attached(GraphId graph, NodeId node, bool well) = 0;
  virtual void node_changed(GraphId graph, NodeId node, const Things& things) = 0;
  virtual void node_destroyed(GraphId graph, NodeId node) = 0;
  /// CUDA now has a graph or a node with this handle, or no longer has one.
  virtual void handle_born(std::uint64_t handle) = 0;
  virtual void handle_died(std::uint64_t handle) = 0;

  // ---- memory of graphs ----
  /// A node of the graph is about to free the memory of an allocation node.
  virtual void frees(GraphId graph, NodeId allocation) = 0;
  /// The freeing node was added.
  virtual void freed(GraphId graph, NodeId allocation) = 0;
  /// A node of the graph is about to use that memory.
  virtual void works_in(GraphId graph, NodeId allocation) = 0;
};

class ExecWitness {
 public:
  virtual ~ExecWitness() = default;

  virtual void exec_made(ExecId exec, GraphId graph) = 0;
  virtual void exec_node_changed(ExecId exec, NodeId node, const Things& things) = 0;
  virtual void exec_updated(ExecId exec, GraphId graph) = 0;
  /// CUDA has returned an error, so it is unknown whether it has updated the executable.
  virtual void exec_in_doubt(ExecId exec, GraphId graph) = 0;
  /// New owners are about to be appended to those that the executable keeps.
  virtual void exec_appended(ExecId exec) = 0;
  virtual void exec_dropped(ExecId exec) = 0;
  /// The executable is about to be launched.
  virtual void launches(ExecId exec, StreamName stream) = 0;
  /// A launch was refused.
  virtual void launch_failed() = 0;
};

}  // namespace targets::graph_argument
