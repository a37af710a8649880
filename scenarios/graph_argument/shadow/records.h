// SPDX-License-Identifier: Apache-2.0
// Records: what the shadow remembers. Graphs, executables and launches are lists of nodes by value,
// so that what an executable or a launch uses stays what it was when the definition changes. All
// branches keep what they have; one at most runs.
#pragma once

#include <memory_resource>
#include <optional>
#include <vector>

#include "scenarios/graph_argument/windows.h"

namespace scenarios::graph_argument {

struct ShadowGraph;

/// The shadow's knowledge of one thing: how often the *script* refers to it (variables, cycles; not
/// what a policy adds).
/// Lifetime: in the run's arena; outlives its wrapper.
struct ShadowThing {
  using ThingKind = targets::graph_argument::ThingKind;

  ThingKind kind;
  harness::BirthId life;      ///< Its memory, library or event; none of a function.
  std::optional<Window> end;  ///< The window that a use of it is in, once it has ended.
  std::uint32_t references = 0;
  bool gone = false;    ///< The script can reach it no more.
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

/// A node as its parameters are now.
struct ShadowNode {
  using NodeId = targets::graph_argument::NodeId;
  using Work = targets::graph_argument::Work;

  Work work;
  NodeId id = NodeId::none;  ///< The same node in a definition, its clones and its executables.
  std::array<ShadowThing*, 2> things{};
  ShadowThing* helper = nullptr;  ///< A module, an event, or a function.
  std::uint32_t branch = 0;       ///< The one of its bodies that a conditional node runs.
  /// A child's graph, or branches.
  std::array<ShadowGraph*, targets::graph_argument::kBranchCount> bodies{};
  ShadowMemory* memory = nullptr;  ///< Memory that it allocates.
  bool by_address = false;         ///< It has numbers, which nothing can keep.
  bool unowned = false;            ///< It was added, and what it needs could not be attached.
  bool updated = false;            ///< In an executable: not as it was instantiated.
  bool idle = false;               ///< In an executable: in a branch that does not run.

  std::array<ShadowThing*, 3> all() const { return {things[0], things[1], helper}; }
  bool points_into(const ShadowThing& thing) const {
    return things[0] == &thing || things[1] == &thing || helper == &thing;
  }
  bool runs(std::size_t body) const {
    return !targets::graph_argument::is_conditional(work) || branch == body;
  }
};
using ShadowNodes = std::pmr::vector<ShadowNode>;

/// A definition, a clone, the copy that a child node has, or a branch.
struct ShadowGraph {
  /// A node was changed or destroyed, and does not have the thing any more.
  struct Lost {
    ShadowNode::NodeId node;
    const ShadowThing* thing;
  };
  ShadowNodes nodes;
  std::pmr::vector<Lost> lost;
  std::pmr::vector<ShadowThing*> ever;  ///< Things that its nodes have pointed into at any time.
  ShadowGraph* parent = nullptr;
  bool gone = false;
};

struct ShadowExec {
  ShadowNodes nodes;  ///< Flat: children's nodes too.
  ShadowGraph* source = nullptr;
  bool gone = false;
  bool launched = false;
  bool in_doubt = false;  ///< It may have been updated: it has the nodes of before, and those too.
  bool appended = false;  ///< Owners were, while it was in doubt.
};

struct ShadowLaunch {
  ShadowNodes nodes;
  ShadowExec* exec;
  targets::graph_argument::StreamName stream;
  bool finished = false;
};

/// Returns whether a node has the thing, and keeps it, or one inside of it does.
bool uses(const ShadowNodes& nodes, const ShadowThing& thing);
/// Returns whether a node that runs has it.
bool works_on(const ShadowNodes& nodes, const ShadowThing& thing);

/// Numbers are given out from 1, in the order of the facts.
/// Ownership: all is in the run's arena.
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
  /// Adds a graph without a number, as what is inside of a copy has none.
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
  std::pmr::vector<ShadowGraph*> numbered_;  ///< Those that facts name.
  std::pmr::vector<ShadowGraph*> graphs_;    ///< All: also what is inside of copies.
  std::pmr::vector<ShadowMemory*> memories_;
  std::pmr::vector<ShadowExec*> execs_;
  std::pmr::vector<ShadowLaunch> launches_;
};

}  // namespace scenarios::graph_argument
