// SPDX-License-Identifier: Apache-2.0
// Records: the shadow's memory. Graphs, executables and launches are lists of nodes by value, so
// that an executable or a launch does not change with its definition. All branches keep their
// things alive, but at most one runs.
#pragma once

#include <memory_resource>
#include <optional>
#include <vector>

#include "scenarios/graph_argument/windows.h"

namespace scenarios::graph_argument {

struct ShadowGraph;

/// State of one thing, with the number of references by the *script* (variables, cycles; not those
/// of a policy).
/// Lifetime: in the run's arena; outlives its wrapper.
struct ShadowThing {
  using ThingKind = targets::graph_argument::ThingKind;

  ThingKind kind;
  harness::BirthId life;      ///< Memory, library or event; none for a function.
  std::optional<Window> end;  ///< Window of a use after its end; set when it has ended.
  std::uint32_t references = 0;
  bool gone = false;    ///< The script can no longer reach it.
  bool closed = false;  ///< The script has closed it.
  ShadowGraph* attribute = nullptr;

  bool lost() const { return gone || closed; }
};

/// Memory that a graph allocates when it runs.
struct ShadowMemory {
  targets::graph_argument::NodeId allocation;
  const ShadowGraph* graph;
  const ShadowGraph* freed_in = nullptr;
};

/// A node with its current parameters.
struct ShadowNode {
  using NodeId = targets::graph_argument::NodeId;
  using Work = targets::graph_argument::Work;

  Work work;
  NodeId id = NodeId::none;  ///< Same in a definition, its clones and its executables.
  std::array<ShadowThing*, 2> things{};
  ShadowThing* helper = nullptr;  ///< A module, an event, or a function.
  std::uint32_t branch = 0;       ///< Branch of a conditional node that runs.
  /// A child's graph, or branches.
  std::array<ShadowGraph*, targets::graph_argument::kBranchCount> bodies{};
  ShadowMemory* memory = nullptr;  ///< Memory of an allocation node.
  bool by_address = false;         ///< It has bare numbers, which keep nothing alive.
  bool unowned = false;            ///< It was added, but its owners could not be attached.
  bool updated = false;            ///< In an executable: changed since it was instantiated.
  bool idle = false;               ///< In an executable: part of a branch that does not run.

  std::array<ShadowThing*, 3> all() const { return {things[0], things[1], helper}; }
  bool points_into(const ShadowThing& thing) const {
    return things[0] == &thing || things[1] == &thing || helper == &thing;
  }
  bool runs(std::size_t body) const {
    return !targets::graph_argument::is_conditional(work) || branch == body;
  }
};
using ShadowNodes = std::pmr::vector<ShadowNode>;

/// A definition, a clone, a child node's copy, or a branch.
struct ShadowGraph {
  /// A node that was changed or destroyed, and a thing that it no longer has.
  struct Lost {
    ShadowNode::NodeId node;
    const ShadowThing* thing;
  };
  ShadowNodes nodes;
  std::pmr::vector<Lost> lost;
  std::pmr::vector<ShadowThing*> ever;  ///< Things that its nodes have ever pointed into.
  ShadowGraph* parent = nullptr;
  bool gone = false;
};

struct ShadowExec {
  ShadowNodes nodes;  ///< Flat, including children's nodes.
  ShadowGraph* source = nullptr;
  bool gone = false;
  bool launched = false;
  bool in_doubt = false;  ///< It may have been updated, so it has the old and the new nodes.
  bool appended = false;  ///< Owners were appended while it was in doubt.
};

struct ShadowLaunch {
  ShadowNodes nodes;
  ShadowExec* exec;
  targets::graph_argument::StreamName stream;
  bool finished = false;
};

/// Returns whether a node, or one inside it, has the thing and keeps it alive.
bool uses(const ShadowNodes& nodes, const ShadowThing& thing);
/// Returns whether a node that runs has the thing.
bool works_on(const ShadowNodes& nodes, const ShadowThing& thing);

/// Numbers start at 1, in the order of the facts.
/// Ownership: all records are in the run's arena.
class ShadowRecords {
 public:
  using ExecId = targets::graph_argument::ExecId;
  using GraphId = targets::graph_argument::GraphId;
  using NodeId = targets::graph_argument::NodeId;
  using ThingId = targets::graph_argument::ThingId;
  using Things = targets::graph_argument::Things;

  explicit ShadowRecords(harness::Arena& arena) : arena_(arena) {}

  // ---- things ----
  ShadowThing& add_thing() { return *things_.emplace_back(arena_.make<ShadowThing>()); }
  ShadowThing& at(ThingId thing) const { return *things_[harness::raw(thing) - 1]; }
  ShadowThing* find(ThingId thing) const { return thing == ThingId::none ? nullptr : &at(thing); }
  std::array<ShadowThing*, 2> find(const Things& things) const {
    return {find(things[0]), find(things[1])};
  }
  const std::pmr::vector<ShadowThing*>& things() const { return things_; }

  // ---- graphs ----
  /// Adds a graph without a number, like those inside a copy.
  ShadowGraph& add_graph(ShadowGraph* parent);
  /// Gives the graph the next number.
  void number(ShadowGraph& graph) { numbered_.push_back(&graph); }
  ShadowGraph& at(GraphId graph) const { return *numbered_[harness::raw(graph) - 1]; }
  ShadowGraph* find(GraphId graph) const { return graph == GraphId::none ? nullptr : &at(graph); }
  const std::pmr::vector<ShadowGraph*>& graphs() const { return graphs_; }
  ShadowMemory& add_memory(NodeId allocation, const ShadowGraph& graph);
  ShadowMemory& memory_of(NodeId allocation) const;

  // ---- executables and launches ----
  ShadowExec& add_exec() { return *execs_.emplace_back(arena_.make<ShadowExec>()); }
  ShadowExec& at(ExecId exec) const { return *execs_[harness::raw(exec) - 1]; }
  const std::pmr::vector<ShadowExec*>& execs() const { return execs_; }
  std::pmr::vector<ShadowLaunch>& launches() { return launches_; }
  const std::pmr::vector<ShadowLaunch>& launches() const { return launches_; }

 private:
  harness::Arena& arena_;
  std::pmr::vector<ShadowThing*> things_;
  std::pmr::vector<ShadowGraph*> numbered_;  ///< Graphs named in facts.
  std::pmr::vector<ShadowGraph*> graphs_;    ///< All graphs, including those inside copies.
  std::pmr::vector<ShadowMemory*> memories_;
  std::pmr::vector<ShadowExec*> execs_;
  std::pmr::vector<ShadowLaunch> launches_;
};

}  // namespace scenarios::graph_argument
