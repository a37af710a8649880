// Ghost: what the script did with its graphs, whatever a policy kept. It changes nothing; the
// judges learn from it which windows a run reached, why something died, and what a block may hold.
#pragma once

#include <memory_resource>
#include <vector>

#include "targets/graph_argument/layout.h"

namespace targets::graph_argument {

struct GhostGraph;
struct GhostExec;

/// What a node does.
enum class Work : std::uint8_t {
  add_one,
  saxpy,
  block_sum,
  produce,
  consume,
  chase,
  captured,  // As Entry.
  copy,
  set,
  record,
  wait,
  callback,
  child,
};
harness::Label to_label(Work work);
constexpr Work work_of(Entry entry) { return static_cast<Work>(entry); }
constexpr bool is_kernel(Work work) { return work <= Work::captured; }

enum class ThingKind : std::uint8_t { buffer, module, event, function };

/// The ghost of one wrapper: how often the *script* refers to it (variables, attributes, frames,
/// cycles; not what a policy adds).
/// Lifetime: in the run's arena; outlives its wrapper.
struct Thing {
  ThingKind kind;
  std::int32_t value = 0;  ///< A buffer's first element.
  std::uint32_t references = 0;
  bool gone = false;    ///< The script can reach it no more.
  bool closed = false;  ///< The script has closed it.
  GhostGraph* attribute = nullptr;
  std::pmr::vector<Thing*> next;  ///< What its block's `next` points at, or has pointed at.

  bool lost() const { return gone || closed; }
};

/// A node as its parameters are now.
struct GhostNode {
  Work work;
  std::uint32_t serial = 0;  ///< The same node in a definition, its clones and its executables.
  std::array<Thing*, 2> things{};
  Thing* helper = nullptr;  ///< A module, an event, or a function.
  std::int32_t value = 0;
  GhostGraph* child = nullptr;
  bool unowned = false;  ///< It was added, and what it needs could not be attached.
  bool updated = false;  ///< In an executable: not as it was instantiated.
};

/// A definition, a clone, or the copy that a child node has.
struct GhostGraph {
  std::pmr::vector<GhostNode> nodes;
  std::pmr::vector<Thing*> ever;  ///< What its nodes have pointed into at any time.
  GhostGraph* parent = nullptr;
  bool gone = false;
};

struct GhostExec {
  std::pmr::vector<GhostNode> nodes;  ///< Flat: children's nodes too.
  GhostGraph* source = nullptr;
  bool gone = false;
};

struct GhostLaunch {
  std::pmr::vector<GhostNode> nodes;
  GhostExec* exec;
  StreamName stream;
  bool finished = false;
  std::uint32_t finished_in = 0;  ///< Which wait said so.
};

/// Threads: its methods are ordered among themselves, and TSan hears of that order.
class Ghost {
 public:
  Ghost(harness::Arena& arena, Observer* observer) : arena_(arena), observer_(observer) {}

  // ---- what there is ----
  Thing* make(ThingKind kind, std::int32_t value);
  void refer(Thing& thing) { ++thing.references; }
  void drop(Thing& thing) {
    if (--thing.references == 0) lose(thing, thing.gone);
  }
  void close(Thing& thing) { lose(thing, thing.closed); }
  void set_attribute(Thing& thing, GhostGraph& graph) { thing.attribute = &graph; }
  void link(Thing& from, Thing& to) { from.next.push_back(&to); }

  // ---- definitions ----
  GhostGraph* create_graph();
  /// Returns the node's serial.
  std::uint32_t add(GhostGraph& graph, GhostNode node);
  GhostNode* find(GhostGraph& graph, std::uint32_t serial);
  void set_params(GhostGraph& graph, std::uint32_t serial, const std::array<Thing*, 2>& things);
  void destroy_node(GhostGraph& graph, std::uint32_t serial);
  void destroy(GhostGraph& graph);
  GhostGraph* clone(const GhostGraph& graph, GhostGraph* parent = nullptr);

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
  /// How many waits are over.
  std::uint32_t waits() const { return waits_; }

  // ---- what follows ----
  /// Why a thing that dies now may be missed: the window that its use would be in.
  Window window_of(const Thing& thing) const;
  /// The site of its death: "Buffer.__dealloc__/R6".
  harness::Label death_site(const Thing& thing) const;
  /// Whether `observed` may have been in element `index` of thing.out when so many waits were over.
  /// `expected` is what fits best.
  bool explains(const Thing& thing, std::uint32_t waits, std::uint32_t index, std::int32_t observed,
                std::int32_t& expected, harness::Label& what) const;
  /// A launch has written to it.
  bool written(const Thing& thing) const;
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
  void flatten(const GhostGraph& graph, std::pmr::vector<GhostNode>& into) const;
  void reach_lost(const GhostExec& exec);
  /// `nodes` are over: what nobody else uses is let go of on CUDA's thread.
  void reach_let_go(const std::pmr::vector<GhostNode>& nodes);
  bool used(const Thing& thing) const;
  /// A captured launch uses it.
  bool is_captured(const Thing& thing) const;
  bool leads_to(const Thing& from, const Thing& to, std::uint32_t depth) const;
  static bool uses(const std::pmr::vector<GhostNode>& nodes, const Thing& thing);

  harness::Arena& arena_;
  Observer* observer_;
  std::uint32_t serials_ = 0;
  std::uint32_t waits_ = 0;
  std::pmr::vector<Thing*> things_;
  std::pmr::vector<GhostGraph*> graphs_;
  std::pmr::vector<GhostExec*> execs_;
  std::pmr::vector<GhostLaunch> launches_;
  std::pmr::vector<std::uint64_t> dead_handles_;
};

}  // namespace targets::graph_argument
