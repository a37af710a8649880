// SPDX-License-Identifier: Apache-2.0
// GraphRun: one launch of an executable graph, in progress in a stream. A node continues when the
// nodes that it waits for are done. If several can continue, the next one is a choice.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "harness/core/pick/pick.h"
#include "harness/devices/sim/graphs/executable.h"
#include "harness/devices/sim/streams/stream.h"

namespace harness::devices {

class SimDevice;
class GraphRun;
struct GraphFrame;

/// A host node to call, or a host function of a stream (without a run).
struct HostCall {
  Stream* stream = nullptr;
  GraphRun* run = nullptr;
  GraphFrame* frame = nullptr;
  std::uint32_t node = 0;
};

enum class NodeState : std::uint8_t { waiting, open, calling, inside, done };

struct NodeRun {
  NodeState state = NodeState::waiting;
  std::uint32_t waits_for = 0;  ///< Number of nodes that it still waits for.
  Work* work = nullptr;         ///< Set once it has started, if it takes time.
  GraphFrame* body = nullptr;   ///< The embedded graph.
  bool again = false;           ///< A loop has completed an iteration.
  StreamPoint point;            ///< The work that an event wait node waits for.
};

/// A graph or an embedded graph in progress.
struct GraphFrame {
  const ExecutablePlan* graph = nullptr;
  GraphFrame* parent = nullptr;
  std::uint32_t parent_node = 0;
  std::uint32_t order = 0;  ///< Order among the frames of the run.
  std::uint32_t undone_count = 0;
  std::vector<NodeRun> nodes;
  LineIndex first_line = kNoLine;  ///< The line of its first node; see topological_order.h.
  OrderPoint shared;               ///< The position that all nodes of a conditional body share.
  std::vector<Clock> before;       ///< The clock before each node. A member to reuse its storage.
  Clock done;                      ///< Scratch: the clock at the end of a node. A member to reuse
                                   ///< its storage.
};

/// Ownership: made and kept by Executables. Lifetime: from the launch until its last node is done.
class GraphRun {
 public:
  /// Begins a launch, and updates the events that it will record.
  void begin(SimDevice& sim, Executable& exec, const Clock& before);
  /// Lets the first nodes continue, because the stream has reached the launch.
  void start();

  ExecutablePlan& plan() const { return *plan_; }
  /// Returns the clock at the end of the launch.
  const Clock& after() const { return after_; }

  std::uint64_t node_count() const { return root_->graph->nodes.size(); }
  bool done() const { return root_->undone_count == 0; }
  /// Returns whether a node that takes time can continue.
  bool can_step();
  /// Returns whether a node waits for values in memory.
  bool has_memory_ops() const { return has_memory_ops_; }
  /// Returns whether a node calls the program.
  bool has_host_nodes() const { return has_host_nodes_; }
  /// Advances one node by a step, and completes nodes that take no time. Returns whether all are
  /// done.
  bool advance(Stream& stream);
  /// Advances one node that takes time by a step.
  void step(Stream& stream);
  /// Completes one node that takes no time, or hands over a host function. Returns false if there
  /// is none.
  bool pass(Stream& stream);
  /// Returns the parameters of a host node.
  static const NodeParams& params_of(const HostCall& call);
  void called(const HostCall& call) { complete(*call.frame, call.node); }

 private:
  struct Place {
    GraphFrame* frame;
    std::uint32_t node;
  };

  GraphFrame& enter(const ExecutablePlan& graph, GraphFrame* parent, std::uint32_t parent_node);
  void fill(GraphFrame& frame, const ExecutablePlan& graph);
  static void assign_defaults(const ExecutablePlan& graph);
  void record_events(GraphFrame& frame);
  void open_first(GraphFrame& frame);
  void open(GraphFrame& frame, std::uint32_t node);
  void complete(GraphFrame& frame, std::uint32_t node);
  void complete_frame(GraphFrame& frame);
  static bool takes_time(const Place& place);
  bool can_go(const Place& place);
  bool pass(Stream& stream, Place place);
  void go_inside(Place place, GraphFrame& body);
  unsigned value_of(Conditional& conditional, std::size_t body_count);
  void decide(Place place);
  void free_memory(Place place);
  void reach(Event& event, const StreamPoint& point);
  Place pick_place();
  Name name_of(const Place& place) const;
  Work& work_of(const Place& place);

  SimDevice* sim_ = nullptr;
  ExecutablePlan* plan_ = nullptr;
  Label site_;
  /// The launcher's process; another one may be running when the launch continues.
  ProcessId process_ = ProcessId::first;
  Activation activation_;  ///< Makes the choice of the next node, whichever task advances the
                           ///< launch.
  GraphFrame* root_ = nullptr;
  Clock after_;
  std::vector<std::unique_ptr<GraphFrame>> frames_;
  std::uint32_t frame_count_ = 0;
  std::uint32_t next_order_ = 0;
  std::vector<Place> open_;  ///< By frame and node: nodes that can continue or are in progress.
  std::vector<Place> able_;  ///< Scratch: the open nodes that take time.
  std::vector<std::uint32_t> names_;
  bool has_memory_ops_ = false;
  std::uint32_t unloads_ = 0;  ///< Number of modules that were unloaded before the launch.
  std::uint64_t regions_ = 0;  ///< Number of changes of regions before the launch.
  bool has_host_nodes_ = false;
  StagedCopies copies_returned_ = 0;  ///< Number of staged copies before the launch.
};

}  // namespace harness::devices
