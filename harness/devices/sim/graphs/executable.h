// SPDX-License-Identifier: Apache-2.0
// Executable: the object behind a CUgraphExec, and its plan: the graph at the time of its
// instantiation, laid out for execution, with its own references to the user objects.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <span>
#include <vector>

#include "harness/devices/sim/graphs/graph.h"
#include "harness/devices/sim/memory/memory.h"

namespace harness::devices {

struct ExecutablePlan;

struct PlanNode {
  const GraphNode* source = nullptr;  ///< The node from which this one was made. By identity, not
                                      ///< by handle.
  const NodeParams* params = nullptr;
  const KernelAttributes* attributes = &kDefaultAttributes;
  bool enabled = true;
  std::uint32_t after_count = 0;       ///< Number of nodes that it waits for.
  std::uint32_t dependents_begin = 0;  ///< Index into ExecutablePlan::dependents.
  std::uint32_t dependents_end = 0;
  std::uint32_t bodies_begin = 0;  ///< Index into ExecutablePlan::bodies.
  std::uint32_t bodies_end = 0;
  /// For an event record node, the stream of its records, one piece of work for each launch; else
  /// null.
  Stream* clock = nullptr;
};

/// Lifetime: launches in flight share it, so an update changes a copy of it.
struct ExecutablePlan {
  std::vector<PlanNode> nodes;  ///< In topological order.
  std::vector<std::uint32_t> dependents;
  std::vector<ExecutablePlan*> bodies;
  UserReferences references;
  std::uint32_t launches = 0;      ///< Number of launches in flight; for a root.
  bool current = true;             ///< Whether its executable would still launch it.
  Clock after;                     ///< The clock after its completed launches; for a root.
  LineIndex first_line = kNoLine;  ///< The line of its first node in the run `lines_run`.
  std::uint32_t lines_run = 0;

  /// Returns the node that was made from `source`, or null.
  PlanNode* find(const GraphNode& source);
  /// Returns the embedded plan of the node that was made from `source`.
  ExecutablePlan* find_body(const GraphNode& source);

  std::span<const std::uint32_t> dependents_of(const PlanNode& node) const {
    return {dependents.data() + node.dependents_begin, dependents.data() + node.dependents_end};
  }
  std::span<ExecutablePlan* const> bodies_of(const PlanNode& node) const {
    return {bodies.data() + node.bodies_begin, bodies.data() + node.bodies_end};
  }
};

struct Executable : Object {
  ExecutablePlan* root = nullptr;
  Graph* source = nullptr;  ///< The graph from which it was instantiated; may be dead.
  cuuint64_t flags = 0;
  StreamPoint last;              ///< The last launch or upload, which the next one follows.
  Clock clock;                   ///< The clock of the last launch, which the next one follows.
  TaskId caller = TaskId::none;  ///< The task inside a call on it.
  void reset() {
    root = nullptr;
    source = nullptr;
    last = {};
    clock.clear();
    caller = TaskId::none;
  }
};

}  // namespace harness::devices
