// Graphs: what exists of graphs on the simulated device: graphs, nodes, executables, user objects
// and launches in flight; and what changes them, whichever call asked for it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "harness/devices/sim/graphs/executable.h"
#include "harness/devices/sim/graphs/graph.h"
#include "harness/devices/sim/graphs/run.h"
#include "harness/devices/sim/graphs/user_object.h"
#include "harness/devices/sim/handles_recycled.h"

namespace harness::devices {

/// Objects that are used again in the next run. Addresses stay put.
template <class T>
class Reused {
 public:
  void begin() { count_ = 0; }
  T& next() {
    if (count_ == objects_.size()) objects_.push_back(std::make_unique<T>());
    return *objects_[count_++];
  }

 private:
  std::vector<std::unique_ptr<T>> objects_;
  std::size_t count_ = 0;
};

/// Ownership: owns it all, and keeps the storage from run to run.
class Graphs {
 public:
  explicit Graphs(SimDevice& sim) : sim_(sim) {}
  void begin();

  // ---- graphs ----

  Graph& create(Label kind = "graph");
  /// For the caller to fill in, before anybody shares it. At the current site.
  NodeParams& fresh_params(CUgraphNodeType type, Label label);
  /// The same, beginning as `old`.
  KernelAttributes& fresh_attributes(const KernelAttributes& old);
  GraphNode& add(Graph& graph, const NodeParams& params, std::span<const GraphEdge> after);
  /// Adds an embedded copy of `body`.
  GraphNode& add_child(Graph& graph, Graph& body, std::span<const GraphEdge> after);
  /// Adds an embedded copy of what `body` would do if it was launched.
  GraphNode& add_child(Graph& graph, const ExecGraph& body, std::span<const GraphEdge> after);
  /// Adds `body` itself, which is no graph of its own from then on.
  GraphNode& add_moved(Graph& graph, Graph& body, std::span<const GraphEdge> after);
  /// Adds a node with `count` empty bodies.
  GraphNode& add_conditional(Graph& graph, const NodeParams& params, unsigned count,
                             std::span<const GraphEdge> after);
  Graph& clone(const Graph& graph, GraphNode* owner);
  Graph& clone(const ExecGraph& exec, GraphNode& owner);
  void destroy(Graph& graph);
  /// The node leaves its graph.
  void destroy(GraphNode& node);
  /// The graph has a path of dependencies that leads back to where it began.
  static GraphNode* find_cycle(Graph& graph);
  /// The nodes, each after those that it waits for, otherwise as they were added; without those on
  /// a cycle. Each knows its place in `index`.
  static std::vector<GraphNode*> sorted(const Graph& graph);

  // ---- executables ----

  GraphExec& instantiate(Graph& graph, cuuint64_t flags);
  /// What the executable will launch next, for changing: nobody in flight sees the change.
  ExecGraph& writable(GraphExec& exec);
  /// The node that was made from `source`; null when there is none.
  static ExecNode* find(ExecGraph& graph, const GraphNode& source);
  /// The embedded graph of the node that was made from `source`.
  static ExecGraph* find_body(ExecGraph& graph, const GraphNode& source);
  /// Everything as in `graph`, which has the same shape: parameters, and references to user
  /// objects. `after`: the launches of `exec` that are over.
  void replace(ExecGraph& exec, const Graph& graph, const Clock& after);
  void destroy(GraphExec& exec);

  // ---- memory ----

  /// An address for an allocation node; null when there is no storage left.
  GraphMemory* reserve(const Graph& graph, std::uint64_t bytes);
  void drop(GraphMemory& memory);
  /// A launch has reached the node that allocates.
  void begin_life(GraphMemory& memory);
  void life_ended(GraphMemory& memory);
  GraphMemoryCounters counters;

  // ---- conditions ----

  Conditional& add_conditional(const Graph& graph, unsigned default_value, bool assigns_default);
  /// Null when no such handle was made.
  Conditional* find_conditional(CUgraphConditionalHandle handle);
  /// A handle of the graph that no node asks.
  bool has_unused_conditional(const Graph& graph);

  // ---- launches ----

  /// Checks that what the launch allocates is free, or will be freed by it. Otherwise a fault.
  bool may_launch(const GraphExec& exec);

  StreamPoint launch(GraphExec& exec, Stream& stream);
  /// The launch is over: it lets go of what it held.
  void end(GraphRun& run);

  // ---- user objects ----

  UserObject& create(void* data, CUhostFn destroy, std::uint64_t count);
  void release(UserObject& object, std::uint64_t count);
  /// `after`: the launches that used them, where there may have been any.
  void release(UserReferences& references, const Clock* after = nullptr);
  /// True in the thread that calls destructors.
  bool in_destructor() const;

  Launch scratch;
  std::vector<GraphEdge> scratch_edges;

  RecycledHandles<Graph, HandleKind::graph> graphs;
  RecycledHandles<GraphNode, HandleKind::graph_node> nodes;
  RecycledHandles<GraphExec, HandleKind::graph_exec> execs;
  RecycledHandles<UserObject, HandleKind::user_object> objects;

 private:
  ExecGraph& fresh_exec_graph();
  ExecGraph& lay_out(Graph& graph);
  ExecGraph& copy(const ExecGraph& graph);
  /// Nobody launches it any more, nor does a launch of it run.
  void retire(ExecGraph& graph, const Clock& after);
  void copy_references(const UserReferences& from, UserReferences& to);
  void announce_memory(const ExecGraph& graph, Work& work, const StreamPoint& point);
  void free_unfreed(const ExecGraph& graph, Stream& stream);
  [[noreturn]] void serve_destructors();

  SimDevice& sim_;
  Reused<NodeParams> params_;
  Reused<KernelAttributes> attributes_;
  Reused<GraphMemory> memories_;
  std::vector<std::uint32_t> freed_memory_;  ///< Blocks that no graph has any more.
  std::vector<Conditional*> conditionals_;
  Reused<Conditional> conditional_storage_;
  Reused<ExecGraph> exec_graphs_;
  std::vector<ExecGraph*> spare_exec_graphs_;
  Reused<GraphRun> runs_;
  std::vector<GraphRun*> spare_runs_;
  std::vector<UserObject*> released_;  ///< To be destroyed, in this order.
  TaskId destructor_task_ = TaskId::none;
  bool in_destructor_ = false;  ///< Outside a run.
};

}  // namespace harness::devices
