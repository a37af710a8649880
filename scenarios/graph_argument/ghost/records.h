// Records: what the ghost remembers. Graphs, executables and launches are lists of nodes by value,
// so that what an executable or a launch uses stays what it was when the definition changes. All
// branches keep what they have; one at most runs.
#pragma once

#include <memory_resource>
#include <optional>
#include <vector>

#include "scenarios/graph_argument/windows.h"

namespace scenarios::graph_argument {

struct GhostGraph;

/// The ghost's knowledge of one thing: how often the *script* refers to it (variables, cycles; not
/// what a policy adds).
/// Lifetime: in the run's arena; outlives its wrapper.
struct GhostThing {
  using ThingKind = targets::graph_argument::ThingKind;

  ThingKind kind;
  harness::BirthId life;      ///< Its memory, library or event; none of a function.
  std::optional<Window> end;  ///< The window that a use of it is in, once it has ended.
  std::uint32_t references = 0;
  bool gone = false;    ///< The script can reach it no more.
  bool closed = false;  ///< The script has closed it.
  GhostGraph* attribute = nullptr;

  bool lost() const { return gone || closed; }
};

/// Memory that a graph allocates when it runs.
struct GhostMemory {
  targets::graph_argument::NodeId allocation;
  const GhostGraph* graph;
  const GhostGraph* freed_in = nullptr;
};

/// A node as its parameters are now.
struct GhostNode {
  using NodeId = targets::graph_argument::NodeId;
  using Work = targets::graph_argument::Work;

  Work work;
  NodeId id = NodeId::none;  ///< The same node in a definition, its clones and its executables.
  std::array<GhostThing*, 2> things{};
  GhostThing* helper = nullptr;  ///< A module, an event, or a function.
  std::uint32_t branch = 0;      ///< The one of its bodies that a conditional node runs.
  /// A child's graph, or branches.
  std::array<GhostGraph*, targets::graph_argument::kBranchCount> bodies{};
  GhostMemory* memory = nullptr;  ///< Memory that it allocates.
  bool by_address = false;        ///< It has numbers, which nothing can keep.
  bool unowned = false;           ///< It was added, and what it needs could not be attached.
  bool updated = false;           ///< In an executable: not as it was instantiated.
  bool idle = false;              ///< In an executable: in a branch that does not run.

  std::array<GhostThing*, 3> all() const { return {things[0], things[1], helper}; }
  bool points_into(const GhostThing& thing) const {
    return things[0] == &thing || things[1] == &thing || helper == &thing;
  }
  bool runs(std::size_t body) const {
    return !targets::graph_argument::is_conditional(work) || branch == body;
  }
};
using GhostNodes = std::pmr::vector<GhostNode>;

/// A definition, a clone, the copy that a child node has, or a branch.
struct GhostGraph {
  /// A node was changed or destroyed, and does not have the thing any more.
  struct Lost {
    GhostNode::NodeId node;
    const GhostThing* thing;
  };
  GhostNodes nodes;
  std::pmr::vector<Lost> lost;
  std::pmr::vector<GhostThing*> ever;  ///< Things that its nodes have pointed into at any time.
  GhostGraph* parent = nullptr;
  bool gone = false;
};

struct GhostExec {
  GhostNodes nodes;  ///< Flat: children's nodes too.
  GhostGraph* source = nullptr;
  bool gone = false;
  bool launched = false;
  bool in_doubt = false;  ///< It may have been updated: it has the nodes of before, and those too.
  bool appended = false;  ///< Owners were, while it was in doubt.
};

struct GhostLaunch {
  GhostNodes nodes;
  GhostExec* exec;
  targets::graph_argument::StreamName stream;
  bool finished = false;
};

/// Returns whether a node has the thing, and keeps it, or one inside of it does.
bool uses(const GhostNodes& nodes, const GhostThing& thing);
/// Returns whether a node that runs has it.
bool works_on(const GhostNodes& nodes, const GhostThing& thing);

/// Numbers are given out from 1, in the order of the facts.
/// Ownership: all is in the run's arena.
class GhostRecords {
 public:
  using ExecId = targets::graph_argument::ExecId;
  using GraphId = targets::graph_argument::GraphId;
  using NodeId = targets::graph_argument::NodeId;
  using ThingId = targets::graph_argument::ThingId;
  using Things = targets::graph_argument::Things;

  explicit GhostRecords(harness::Arena& arena) : arena_(arena) {}

  // ---- things ----
  GhostThing& add_thing() { return *things_.emplace_back(arena_.make<GhostThing>()); }
  GhostThing& at(ThingId thing) const { return *things_[harness::raw(thing) - 1]; }
  GhostThing* find(ThingId thing) const { return thing == ThingId::none ? nullptr : &at(thing); }
  std::array<GhostThing*, 2> find(const Things& things) const {
    return {find(things[0]), find(things[1])};
  }
  const std::pmr::vector<GhostThing*>& things() const { return things_; }

  // ---- graphs ----
  /// Adds a graph without a number, as what is inside of a copy has none.
  GhostGraph& add_graph(GhostGraph* parent);
  /// Gives the graph the next number.
  void number(GhostGraph& graph) { numbered_.push_back(&graph); }
  GhostGraph& at(GraphId graph) const { return *numbered_[harness::raw(graph) - 1]; }
  GhostGraph* find(GraphId graph) const { return graph == GraphId::none ? nullptr : &at(graph); }
  const std::pmr::vector<GhostGraph*>& graphs() const { return graphs_; }
  GhostMemory& add_memory(NodeId allocation, const GhostGraph& graph);
  GhostMemory& memory_of(NodeId allocation) const;

  // ---- executables and launches ----
  GhostExec& add_exec() { return *execs_.emplace_back(arena_.make<GhostExec>()); }
  GhostExec& at(ExecId exec) const { return *execs_[harness::raw(exec) - 1]; }
  const std::pmr::vector<GhostExec*>& execs() const { return execs_; }
  std::pmr::vector<GhostLaunch>& launches() { return launches_; }
  const std::pmr::vector<GhostLaunch>& launches() const { return launches_; }

 private:
  harness::Arena& arena_;
  std::pmr::vector<GhostThing*> things_;
  std::pmr::vector<GhostGraph*> numbered_;  ///< Those that facts name.
  std::pmr::vector<GhostGraph*> graphs_;    ///< All: also what is inside of copies.
  std::pmr::vector<GhostMemory*> memories_;
  std::pmr::vector<GhostExec*> execs_;
  std::pmr::vector<GhostLaunch> launches_;
};

}  // namespace scenarios::graph_argument
