// Ghost: what the script did with its graphs, whatever a policy kept: which windows a run reached,
// and why something died.
//
// It hears facts, and changes nothing.
#pragma once

#include "scenarios/graph_argument/ghost_graph.h"
#include "scenarios/graph_argument/windows.h"

namespace scenarios::graph_argument {

/// Ownership: the script's; what it remembers is in the run's arena. Borrows the scene.
class Ghost final : public targets::graph_argument::Witness {
 public:
  using Circumstance = targets::graph_argument::Circumstance;
  using ExecId = targets::graph_argument::ExecId;
  using GraphId = targets::graph_argument::GraphId;
  using NodeFacts = targets::graph_argument::NodeFacts;
  using NodeId = targets::graph_argument::NodeId;
  using StreamName = targets::graph_argument::StreamName;
  using ThingId = targets::graph_argument::ThingId;
  using ThingKind = targets::graph_argument::ThingKind;
  using Things = targets::graph_argument::Things;
  using Work = targets::graph_argument::Work;

  explicit Ghost(harness::Scene& scene) : scene_(scene) {}

  // ---- windows ----
  void reach(Window window);
  /// The window reached last, or -1.
  int last_window() const { return last_window_; }
  /// Whether what graphs keep alive leads back to a graph that keeps it.
  bool has_cycle() const;
  /// CUDA has had a graph or a node by the handle, and has given it to nobody since.
  bool is_dead(std::uint64_t handle) const;
  /// Returns the window that the thing's end is in, by the name of its life; none where nothing of
  /// that name has ended.
  std::optional<Window> window_of_end(harness::Name life) const;

  /// This task begins to wait, and is told that the stream has finished what it had then.
  void waits();
  void finished(StreamName stream);

  // ---- things ----
  void thing_made(ThingId thing, ThingKind kind) override;
  void reference_taken(ThingId thing) override { ++at(thing).references; }
  void reference_dropped(ThingId thing) override;
  void thing_closed(ThingId thing) override { lose(at(thing), at(thing).closed); }
  void attribute_set(ThingId buffer, GraphId definition) override {
    at(buffer).attribute = &at(definition);
  }
  Circumstance thing_ends(ThingId thing) override;

  // ---- graphs ----
  void graph_made(GraphId graph, GraphId parent) override;
  void graph_cloned(GraphId clone, GraphId from, GraphId parent) override;
  void graph_dropped(GraphId graph) override;
  bool ends(GraphId graph) override { return !never_ends(at(graph)); }

  // ---- nodes ----
  void node_added(GraphId graph, NodeId node, const NodeFacts& facts) override;
  void node_refused() override { reach(Window::attachment_failed); }
  void node_attached(GraphId graph, NodeId node, bool well) override;
  void node_changed(GraphId graph, NodeId node, const Things& things) override;
  void node_destroyed(GraphId graph, NodeId node) override;
  void handle_born(std::uint64_t handle) override;
  void handle_died(std::uint64_t handle) override { dead_handles_.push_back(handle); }

  // ---- memory of graphs ----
  void frees(GraphId graph, NodeId allocation) override;
  void freed(GraphId graph, NodeId allocation) override;
  void works_in(GraphId graph, NodeId allocation) override;

  // ---- executables ----
  void exec_made(ExecId exec, GraphId graph) override;
  void exec_node_changed(ExecId exec, NodeId node, const Things& things) override;
  void exec_updated(ExecId exec, GraphId graph) override;
  void exec_dropped(ExecId exec) override;
  void launches(ExecId exec, StreamName stream) override;
  void launch_failed() override { launches_.pop_back(); }

 private:
  // Numbers are given out from 1, in the order of the facts.
  GhostThing& at(ThingId thing) const { return *things_[harness::raw(thing) - 1]; }
  GhostGraph& at(GraphId graph) const { return *numbered_[harness::raw(graph) - 1]; }
  GhostExec& at(ExecId exec) const { return *execs_[harness::raw(exec) - 1]; }
  GhostMemory& memory_of(NodeId allocation);
  GhostThing* find(ThingId thing) const { return thing == ThingId::none ? nullptr : &at(thing); }
  static GhostNode* find(GhostGraph& graph, NodeId node);
  std::array<GhostThing*, 2> find(const Things& things) const {
    return {find(things[0]), find(things[1])};
  }

  GhostGraph& make_graph(GhostGraph* parent);
  GhostGraph& clone(const GhostGraph& graph, GhostGraph* parent);
  static bool never_ends(const GhostGraph& graph);
  static void flatten(const GhostGraph& graph, GhostNodes& into, bool idle = false);

  harness::BirthId newest(ThingKind kind) const;
  void lose(const GhostThing& thing, bool& flag);
  void reach_lost(const GhostExec& exec);
  void reach_unfreed(const GhostExec& exec);
  /// `nodes` are over: what nobody else uses is let go of on CUDA's thread.
  void reach_let_go(const GhostNodes& nodes);
  bool used(const GhostThing& thing) const;
  /// A node has it, and keeps it; one that runs.
  static bool uses(const GhostNodes& nodes, const GhostThing& thing);
  static bool works_on(const GhostNodes& nodes, const GhostThing& thing);

  // ---- ghost_windows.cpp ----
  /// Why a thing that dies now may be missed: the window that its use would be in.
  Window window_of(const GhostThing& thing) const;
  /// By those who have its address alone, or by those who have it by its wrapper.
  std::optional<Window> window_of_users(const GhostThing& thing, bool by_address) const;
  /// A definition that the node was copied from has lost the thing, or `source` has.
  bool was_lost(const GhostNode& node, const GhostThing& thing, const GhostGraph* source) const;
  /// A captured launch uses it.
  bool is_captured(const GhostThing& thing) const;
  bool leads_to(const GhostThing& from, const GhostThing& to, std::uint32_t depth) const;

  harness::Scene& scene_;
  std::pmr::vector<GhostThing*> things_;
  std::pmr::vector<GhostGraph*> numbered_;  ///< Those that facts name.
  std::pmr::vector<GhostGraph*> graphs_;    ///< All: also what is inside of copies.
  std::pmr::vector<GhostMemory*> memories_;
  std::pmr::vector<GhostExec*> execs_;
  std::pmr::vector<GhostLaunch> launches_;
  std::pmr::vector<std::uint64_t> dead_handles_;
  std::pmr::vector<std::size_t> marks_;  ///< By task: the launches when it began to wait.
  int last_window_ = -1;
};

}  // namespace scenarios::graph_argument
