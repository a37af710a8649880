// SPDX-License-Identifier: Apache-2.0
// Records: what the model knows of each object of a script: things, graphs, executables, launches,
// and the contents of wrappers.
//
// Graphs, executables and launches are lists of nodes by value, so that an executable or a launch
// does not change with its definition. All branches keep their things alive, but at most one runs.
#pragma once

#include <memory_resource>
#include <vector>

#include "scenarios/graph_argument/model/call.h"
#include "scenarios/graph_argument/windows.h"

namespace scenarios::graph_argument {

using targets::graph_argument::ExecId;
using targets::graph_argument::GraphId;
using targets::graph_argument::kBranchCount;
using targets::graph_argument::Kind;
using targets::graph_argument::ThingId;
using targets::graph_argument::ThingKind;
using targets::graph_argument::Work;

struct Exec;
struct Graph;

harness::Label to_label(Work work);
/// Returns whether the device executes it and reports its end.
constexpr bool is_device_work(Work work) { return work <= Work::set; }
inline constexpr std::size_t kDeviceWorkCount = harness::raw(Work::set) + std::size_t{1};

/// An object that nodes point into: a buffer, a module, an event, or a function.
/// Lifetime: in the run's arena; outlives its wrapper.
struct Thing {
  ThingKind kind;
  harness::BirthId life;  ///< Memory, library or event; none for a function.
  Wrapper wrapper = Wrapper::none;
  std::int32_t value = 0;                 ///< First element of a buffer.
  StreamName stream = StreamName::first;  ///< Memory: stream on which it will be freed.
  std::uint32_t references = 0;           ///< Number of the script's variables and cycles.
  bool gone = false;                      ///< The script can no longer reach it.
  bool closed = false;                    ///< The script has closed it.
  std::optional<Window> end;              ///< Window of a use after its end; set when it has ended.
  Graph* attribute = nullptr;             ///< buffer.graph
  std::pmr::vector<Thing*> next;  ///< Things to which its block's `next` points, or pointed.

  bool lost() const { return gone || closed; }
};

/// Memory that a graph allocates when it runs.
struct Memory {
  NodeId allocation;
  const Graph* graph;
  const Graph* freed_in = nullptr;
  bool settled = false;  ///< No node of its graph can free it any more.
};

/// A node with its parameters at one time.
struct Node {
  Work work;
  NodeId id = NodeId::none;  ///< Same in a definition, its clones and its executables.
  std::array<Thing*, 2> things{};
  Thing* helper = nullptr;  ///< A module, an event, or a function.
  /// Value of a set; for a conditional node, the index of the body that runs.
  std::int32_t value = 0;
  std::array<Graph*, kBranchCount> bodies{};  ///< A child's graph, or branches.
  Memory* memory = nullptr;                   ///< Memory of an allocation node.
  std::uint32_t made_by = 0;                  ///< Number of the call.
  std::size_t after = 0;    ///< Position in its graph, from 1, of the node it depends on.
  bool by_address = false;  ///< It has bare numbers, which keep nothing alive.
  bool unowned = false;     ///< It was added, but its owners could not be attached.

  // ---- in an executable ----
  const Graph* home = nullptr;  ///< Graph that has the original node.
  /// Number of preceding nodes that are inside each of its bodies.
  std::array<std::size_t, kBranchCount> inside{};
  bool idle = false;     ///< Part of a branch that does not run.
  bool looped = false;   ///< Part of a loop, whose value others may set.
  bool updated = false;  ///< Changed since it was instantiated.

  /// In an executable, compares the home, too: a child's copy of the node has the same id.
  bool is(NodeId its_id, const Graph* its_home) const { return id == its_id && home == its_home; }
  bool runs(std::size_t body) const {
    return !is_conditional(work) || static_cast<std::size_t>(value) == body;
  }
  /// Bare addresses keep nothing alive, nor do captured launches.
  bool keeps_things() const { return work != Work::chase && work != Work::captured; }
  bool keeps_helper() const { return work != Work::captured; }
  std::array<Thing*, 3> all() const { return {things[0], things[1], helper}; }
  bool points_into(const Thing& thing) const {
    return things[0] == &thing || things[1] == &thing || helper == &thing;
  }
};
using NodeList = std::pmr::vector<Node>;

/// A definition, a clone, a captured graph, or a graph inside a node.
struct Graph {
  /// A node that was changed or destroyed, and a thing that it no longer has.
  struct Lost {
    NodeId node;
    const Thing* thing;
  };
  NodeList nodes;
  std::pmr::vector<Lost> lost;
  std::pmr::vector<Thing*> ever;  ///< Things that its nodes have ever pointed into.
  Graph* parent = nullptr;
  bool dropped = false;   ///< Only CUDA holds it.
  bool orphaned = false;  ///< Its node, or an outer one, was destroyed, or could not be added.
  bool changed = false;   ///< A node was destroyed, so its shape differs from this list.
  bool endless = false;   ///< It may have a loop that never ends.
  bool branch = false;    ///< It belongs to a conditional node.
  bool spoilt = false;    ///< It has a condition without a node.

  bool in_branch() const { return branch || (parent != nullptr && parent->in_branch()); }
  const Graph& root() const { return parent != nullptr ? parent->root() : *this; }
};

struct Exec {
  NodeList nodes;                 ///< All nodes, flat.
  NodeList given;                 ///< Updates of single nodes since the last whole update.
  const Graph* source = nullptr;  ///< Graph that it was instantiated from.
  const Graph* latest = nullptr;  ///< Graph that its nodes are from: of the last whole update.
  harness::BirthId life = harness::BirthId::none;
  std::uint32_t made_by = 0;
  /// Call of the last whole update, and those that failed since.
  std::pmr::vector<std::uint32_t> updated_by;
  bool closed = false;
  bool dropped = false;  ///< Only CUDA holds it.
  bool launched = false;
  bool changed = false;   ///< It differs from its source graph.
  bool in_doubt = false;  ///< It may have been updated, so it has the old and the new nodes.
  bool appended = false;  ///< Owners were appended while it was in doubt.
};

struct Launch {
  NodeList nodes;
  NodeList given;
  std::pmr::vector<std::uint32_t> calls;  ///< Calls that made and updated its executable.
  const Exec* exec = nullptr;
  StreamName named = StreamName::first;   ///< Stream of the call.
  StreamName stream = StreamName::first;  ///< Stream that it was launched on.
  harness::TaskId task = harness::TaskId::none;
  std::uint32_t begun = 0;  ///< Moment before CUDA was called.
  std::uint32_t bound = 0;  ///< Moment when CUDA had launched it; 0 until then.
  /// A wait for the named stream has returned, in any task. This is evidence enough for windows.
  bool awaited = false;
  bool finished = false;          ///< It has certainly ended.
  std::uint32_t finished_in = 0;  ///< Number of the wait that reported it.
};

/// A wrapper and its content.
struct Wrapped {
  Wrapper wrapper = Wrapper::none;
  Kind kind = Kind::nothing;
  Thing* thing = nullptr;
  Graph* graph = nullptr;  ///< For a definition, a node or a builder.
  Exec* exec = nullptr;
  NodeId node = NodeId::none;
  Work work = Work::add_one;
  Thing* module = nullptr;  ///< For a kernel node: its module, which the wrapper also holds.
  std::array<Graph*, kBranchCount> bodies{};  ///< For a node.
  bool destroyed = false;
  bool capturing = false;
  bool ended = false;  ///< A builder has ended its capture successfully.
  bool invalidated = false;
  harness::BirthId stream = harness::BirthId::none;  ///< For a builder.
  std::uint32_t variable_count = 0;                  ///< Number of variables that hold it.
};

/// Returns the newest object of that kind born in the current activation; none if it has ended.
harness::BirthId newest_life(harness::World& world, harness::Label kind);
/// Returns the things that a node points into, of two buffers that a call was given.
std::array<Thing*, 2> things_of(Work work, Thing* first, Thing* second);

/// Finds the node in the graph; null if there is none.
Node* find(Graph& graph, NodeId id);
/// Returns whether `test` holds for the graph, or for one inside a node of it.
template <class Test>
bool any_within(const Graph& graph, Test test) {
  if (test(graph)) return true;
  for (const Node& node : graph.nodes)
    for (const Graph* body : node.bodies)
      if (body != nullptr && any_within(*body, test)) return true;
  return false;
}
/// Returns whether a node in the graph, or inside it, was destroyed.
bool has_changed(const Graph& graph);
/// Sets whether the graph, and those inside, belong to no node that exists.
void set_orphaned(Graph& graph, bool orphaned);
/// Appends the nodes of the graph, each preceded by the nodes inside it.
void flatten(const Graph& graph, NodeList& into, bool idle = false, bool looped = false);

/// All records of a run, but for wrappers. Objects have the numbers of the path's facts, from 1.
/// Ownership: borrows the world; records are in the run's arena.
class Records {
 public:
  explicit Records(harness::World& world) : world_(world) {}

  // ---- things ----
  Thing& add_thing(ThingKind kind, harness::BirthId life);
  Thing& at(ThingId thing) const { return *things_[harness::raw(thing) - 1]; }
  Thing* find(ThingId thing) const { return thing == ThingId::none ? nullptr : &at(thing); }
  const std::pmr::vector<Thing*>& things() const { return things_; }

  // ---- graphs ----
  Graph& add_graph(Graph* parent);
  Graph& copy_graph(const Graph& graph, Graph* parent);
  /// Returns a graph that a fact has named. Those inside copies have no numbers.
  Graph& at(GraphId graph) const { return *numbered_[harness::raw(graph) - 1]; }
  Graph* find(GraphId graph) const { return graph == GraphId::none ? nullptr : &at(graph); }
  const std::pmr::vector<Graph*>& graphs() const { return graphs_; }
  Memory& add_memory(NodeId allocation, const Graph& graph);
  /// Returns the memory of an allocation node; null for another node.
  Memory* find_memory(NodeId allocation) const;

  // ---- executables and launches ----
  Exec& add_exec(const Graph& graph, harness::BirthId life);
  Exec& at(ExecId exec) const { return *execs_[harness::raw(exec) - 1]; }
  const std::pmr::vector<Exec*>& execs() const { return execs_; }
  std::pmr::vector<Launch>& launches() { return launches_; }
  /// Returns all launches. The last one may have been reported before CUDA is called.
  const std::pmr::vector<Launch>& launches() const { return launches_; }
  /// Returns the launches that CUDA has made, in order.
  std::span<const Launch> launched() const;
  /// Orders launches and waits.
  std::uint32_t moment() const { return moment_; }
  std::uint32_t next_moment() { return ++moment_; }

  // ---- the second stream ----
  void close_stream() { stream_closed_ = true; }
  bool is_closed(StreamName stream) const { return stream == StreamName::second && stream_closed_; }
  /// Returns whether it is needed. After close(), it is needed while memory will be freed on it.
  bool is_second_stream_used() const;

 private:
  Graph& copy(const Graph& graph, Graph* parent);

  harness::World& world_;
  std::pmr::vector<Thing*> things_;
  std::pmr::vector<Graph*> numbered_;
  std::pmr::vector<Graph*> graphs_;  ///< All graphs, including those inside copies.
  std::pmr::vector<Memory*> memories_;
  std::pmr::vector<Exec*> execs_;
  std::pmr::vector<Launch> launches_;
  std::uint32_t moment_ = 0;
  bool stream_closed_ = false;
};

}  // namespace scenarios::graph_argument
