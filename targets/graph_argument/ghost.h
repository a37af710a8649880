// Ghost: what the script did with its graphs, whatever a policy kept. It changes nothing; the
// judges learn from it which windows a run reached, why something died, and what a block may hold.
#pragma once

#include <optional>

#include "targets/graph_argument/ghost_graph.h"

namespace targets::graph_argument {

/// Threads: its methods are ordered among themselves, and TSan hears of that order.
class Ghost {
 public:
  Ghost(harness::Arena& arena, Observer* observer) : arena_(arena), observer_(observer) {}

  // ---- what there is ----
  Thing* make(ThingKind kind);
  void refer(Thing& thing) { ++thing.references; }
  void drop(Thing& thing) {
    if (--thing.references == 0) lose(thing, thing.gone);
  }
  void close(Thing& thing) { lose(thing, thing.closed); }
  void set_attribute(Thing& thing, GhostGraph& graph) { thing.attribute = &graph; }

  // ---- definitions ----
  GhostGraph* create_graph(GhostGraph* parent = nullptr);
  /// Returns the node's serial.
  std::uint32_t add(GhostGraph& graph, GhostNode node);
  GhostNode* find(GhostGraph& graph, std::uint32_t serial);
  void set_params(GhostGraph& graph, std::uint32_t serial, const std::array<Thing*, 2>& things);
  /// What the node needs is attached to the graph, or could not be.
  void attached(GhostGraph& graph, std::uint32_t serial, bool well);
  void destroy_node(GhostGraph& graph, std::uint32_t serial);
  void destroy(GhostGraph& graph);
  GhostGraph* clone(const GhostGraph& graph, GhostGraph* parent = nullptr);
  /// It has a loop that runs, with nothing in it to end it.
  bool never_ends(const GhostGraph& graph) const;

  // ---- memory of graphs ----
  GhostMemory* allocate(const GhostGraph& graph);
  /// A node of `graph` is about to free it, or to work in it.
  void free(const GhostMemory& memory, const GhostGraph& graph);
  void work_in(const GhostMemory& memory, const GhostGraph& graph);

  /// CUDA's handles of graphs and nodes that something of ours may still name.
  void handle_born(std::uint64_t handle);
  void handle_died(std::uint64_t handle) { dead_handles_.push_back(handle); }
  /// Somebody uses a handle that has died: nobody may have it, or somebody else.
  void stale_handle_used(std::uint64_t handle, harness::Label what);

  // ---- executables ----
  GhostExec* instantiate(GhostGraph& graph);
  void update_node(GhostExec& exec, std::uint32_t serial, const std::array<Thing*, 2>& things);
  void update(GhostExec& exec, GhostGraph& graph);
  void close(GhostExec& exec);
  /// Before the call: a fault in it does not return.
  void launch(GhostExec& exec, StreamName stream);
  void launch_failed();
  /// The stream has finished everything before now. Call mark() before waiting.
  std::size_t mark() const { return launches_.size(); }
  void finished(StreamName stream, std::size_t mark);

  // ---- what follows ----
  /// Why a thing that dies now may be missed: the window that its use would be in.
  Window window_of(const Thing& thing) const;
  /// The site of its death: "Buffer.__dealloc__/R6".
  harness::Label death_site(const Thing& thing) const;
  /// Whether what graphs keep alive leads back to a graph that keeps it.
  bool has_cycle() const;

  void reach(Window window) {
    if (observer_ != nullptr) observer_->reached(window);
  }
  Observer* observer() { return observer_; }

  /// What this task did before is ordered before what others do after their next order().
  void order() {
    harness::edge_acquire(this);
    harness::edge_release(this);
  }

 private:
  void lose(Thing& thing, bool& flag);
  /// By those who have its address alone, or by those who have it by its wrapper.
  std::optional<Window> window_of_users(const Thing& thing, bool by_address) const;
  /// A definition that the node was copied from has lost the thing, or `source` has.
  bool was_lost(const GhostNode& node, const Thing& thing, const GhostGraph* source) const;
  void flatten(const GhostGraph& graph, std::pmr::vector<GhostNode>& into, bool idle = false) const;
  void reach_lost(const GhostExec& exec);
  void reach_unfreed(const GhostExec& exec);
  /// `nodes` are over: what nobody else uses is let go of on CUDA's thread.
  void reach_let_go(const std::pmr::vector<GhostNode>& nodes);
  bool used(const Thing& thing) const;
  /// A captured launch uses it.
  bool is_captured(const Thing& thing) const;
  bool leads_to(const Thing& from, const Thing& to, std::uint32_t depth) const;
  /// A node has it, and keeps it; one that runs.
  static bool uses(const std::pmr::vector<GhostNode>& nodes, const Thing& thing);
  static bool works_on(const std::pmr::vector<GhostNode>& nodes, const Thing& thing);

  harness::Arena& arena_;
  Observer* observer_;
  std::uint32_t serials_ = 0;
  std::pmr::vector<Thing*> things_;
  std::pmr::vector<GhostGraph*> graphs_;
  std::pmr::vector<GhostExec*> execs_;
  std::pmr::vector<GhostLaunch> launches_;
  std::pmr::vector<std::uint64_t> dead_handles_;
};

}  // namespace targets::graph_argument
