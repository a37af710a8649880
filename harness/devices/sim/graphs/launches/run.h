// SPDX-License-Identifier: Apache-2.0
// GraphRun: one launch of an executable graph, on its way through a stream. Nodes continue as those
// that they wait for are done; which of several continues is a pick.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "harness/devices/sim/graphs/executable.h"
#include "harness/devices/sim/streams/stream.h"
#include "harness/pick.h"

namespace harness::devices {

class SimDevice;
class GraphRun;
struct GraphFrame;

/// A host node that is to be called, or a host function of a stream (without a run).
struct HostCall {
  Stream* stream = nullptr;
  GraphRun* run = nullptr;
  GraphFrame* frame = nullptr;
  std::uint32_t node = 0;
};

enum class NodeState : std::uint8_t { waiting, open, calling, inside, done };

struct NodeRun {
  NodeState state = NodeState::waiting;
  std::uint32_t waits_for = 0;  ///< This many nodes.
  Work* work = nullptr;         ///< Once it has started, if it takes time.
  GraphFrame* body = nullptr;   ///< The embedded graph.
  bool again = false;           ///< A loop has been round once.
  StreamPoint point;            ///< The work that an event wait node waits for.
};

/// A graph or an embedded graph on its way.
struct GraphFrame {
  const ExecutablePlan* graph = nullptr;
  GraphFrame* parent = nullptr;
  std::uint32_t parent_node = 0;
  std::uint32_t order = 0;  ///< Among the frames of the run.
  std::uint32_t undone_count = 0;
  std::vector<NodeRun> nodes;
  LineIndex first_line = kNoLine;  ///< The line of its first node: see topological_order.h.
  OrderPoint shared;               ///< The place that all nodes of a conditional body have.
  std::vector<Clock> before;       ///< Clocks of what comes before each node. Kept for its storage.
  Clock done;                      ///< Scratch: the clock of a node's end. Kept for the same.
};

/// Ownership: made and kept by Executables. Lifetime: from the launch until its last node is done.
class GraphRun {
 public:
  /// Takes what is to be launched, and records the events that it will record.
  void begin(SimDevice& sim, Executable& exec, const Clock& before);
  /// The first nodes may continue: the stream has got to the launch.
  void start();

  ExecutablePlan& plan() const { return *plan_; }
  /// The clock of the launch's end.
  const Clock& after() const { return after_; }

  std::uint64_t node_count() const { return root_->graph->nodes.size(); }
  bool done() const { return root_->undone_count == 0; }
  /// Some node that takes time can continue.
  bool can_step();
  /// Some node waits for values in memory.
  bool has_memory_ops() const { return has_memory_ops_; }
  /// Some node calls the program.
  bool has_host_nodes() const { return has_host_nodes_; }
  /// Takes one node one step further, and passes over what takes no time. Returns true when none is
  /// left.
  bool advance(Stream& stream);
  /// Takes one such node one step further.
  void step(Stream& stream);
  /// Passes one node that takes no time, or hands over a host function. Returns false if there is
  /// none.
  bool pass(Stream& stream);
  /// Returns the work of a host node.
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
  /// The launcher's: another one may be at work when it continues.
  ProcessId process_ = ProcessId::first;
  Activation activation_;  ///< Asks which node continues, code that lets it.
  GraphFrame* root_ = nullptr;
  Clock after_;
  std::vector<std::unique_ptr<GraphFrame>> frames_;
  std::uint32_t frame_count_ = 0;
  std::uint32_t next_order_ = 0;
  std::vector<Place> open_;  ///< By frame and node: those that can continue, or are on their way.
  std::vector<Place> able_;  ///< Scratch: those of them that take time.
  std::vector<std::uint32_t> names_;
  bool has_memory_ops_ = false;
  std::uint32_t unloads_ = 0;  ///< This many modules were unloaded before the launch.
  std::uint64_t regions_ = 0;  ///< The same of changes of regions.
  bool has_host_nodes_ = false;
  StagedCopies copies_returned_ = 0;  ///< This many staged copies came before the launch.
};

}  // namespace harness::devices
