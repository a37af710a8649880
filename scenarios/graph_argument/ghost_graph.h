// GhostGraph: graphs, executables and launches as lists of nodes by value, as the ghost has them.
#pragma once

#include <memory_resource>
#include <optional>
#include <vector>

#include "scenarios/graph_argument/windows.h"

namespace scenarios::graph_argument {

struct GhostGraph;

/// What the ghost knows of one thing: how often the *script* refers to it (variables, cycles; not
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
  GhostMemory* memory = nullptr;  ///< What it allocates.
  bool unowned = false;           ///< It was added, and what it needs could not be attached.
  bool updated = false;           ///< In an executable: not as it was instantiated.
  bool idle = false;              ///< In an executable: in a branch that does not run.

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
  std::pmr::vector<GhostThing*> ever;  ///< What its nodes have pointed into at any time.
  GhostGraph* parent = nullptr;
  bool gone = false;
};

struct GhostExec {
  GhostNodes nodes;  ///< Flat: children's nodes too.
  GhostGraph* source = nullptr;
  bool gone = false;
  bool launched = false;
};

struct GhostLaunch {
  GhostNodes nodes;
  GhostExec* exec;
  targets::graph_argument::StreamName stream;
  bool finished = false;
};

}  // namespace scenarios::graph_argument
