// GhostGraph: graphs, executables and launches as lists of nodes by value, as the ghost has them.
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
  captured,
  scratch,
  leave,  // As Entry.
  copy,
  set,
  record,
  wait,
  callback,
  allocation,
  free,
  child,  // From here on with graphs inside.
  if_then,
  if_else,
  while_loop,
  switch_case,
};
harness::Label to_label(Work work);
constexpr Work work_of(Entry entry) { return static_cast<Work>(entry); }
constexpr bool is_kernel(Work work) { return work <= Work::leave; }
/// A kernel that add_kernel() adds: its buffers can be changed.
constexpr bool takes_buffers(Work work) { return work <= Work::chase; }
constexpr bool is_conditional(Work work) { return work >= Work::if_then; }

enum class ThingKind : std::uint8_t { buffer, module, event, function };

/// The ghost of one wrapper: how often the *script* refers to it (variables, attributes, frames,
/// cycles; not what a policy adds).
/// Lifetime: in the run's arena; outlives its wrapper.
struct Thing {
  ThingKind kind;
  std::uint32_t references = 0;
  bool gone = false;    ///< The script can reach it no more.
  bool closed = false;  ///< The script has closed it.
  GhostGraph* attribute = nullptr;

  bool lost() const { return gone || closed; }
};

/// Memory that a graph allocates when it runs.
struct GhostMemory {
  const GhostGraph* graph;
  const GhostGraph* freed_in = nullptr;
};

/// A node as its parameters are now.
struct GhostNode {
  Work work;
  std::uint32_t serial = 0;  ///< The same node in a definition, its clones and its executables.
  std::array<Thing*, 2> things{};
  Thing* helper = nullptr;  ///< A module, an event, or a function.
  std::int32_t value = 0;   ///< Which of its bodies a conditional node runs.
  std::array<GhostGraph*, kBranchCount> bodies{};  ///< A child's graph, or branches.
  GhostMemory* memory = nullptr;                   ///< What it allocates, frees or works in.
  bool unowned = false;  ///< It was added, and what it needs could not be attached.
  bool updated = false;  ///< In an executable: not as it was instantiated.
  bool idle = false;     ///< In an executable: in a branch that does not run.

  bool points_into(const Thing& thing) const {
    return things[0] == &thing || things[1] == &thing || helper == &thing;
  }
  bool runs(std::size_t body) const {
    return !is_conditional(work) || static_cast<std::size_t>(value) == body;
  }
};

/// A definition, a clone, the copy that a child node has, or a branch.
struct GhostGraph {
  /// A node, by serial, was changed or destroyed, and does not have the thing any more.
  struct Lost {
    std::uint32_t serial;
    const Thing* thing;
  };
  std::pmr::vector<GhostNode> nodes;
  std::pmr::vector<Lost> lost;
  std::pmr::vector<Thing*> ever;  ///< What its nodes have pointed into at any time.
  GhostGraph* parent = nullptr;
  bool gone = false;
};

struct GhostExec {
  std::pmr::vector<GhostNode> nodes;  ///< Flat: children's nodes too.
  GhostGraph* source = nullptr;
  bool gone = false;
  bool launched = false;
};

struct GhostLaunch {
  std::pmr::vector<GhostNode> nodes;
  GhostExec* exec;
  StreamName stream;
  bool finished = false;
};

}  // namespace targets::graph_argument
