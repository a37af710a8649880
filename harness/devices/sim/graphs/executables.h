// SPDX-License-Identifier: Apache-2.0
// Executables: executable graphs: layout, changes, launches, destruction.
#pragma once

#include <vector>

#include "harness/devices/sim/graphs/executable.h"
#include "harness/devices/sim/graphs/launches/run.h"
#include "harness/devices/sim/graphs/reused.h"
#include "harness/devices/sim/handles_recycled.h"

namespace harness::devices {

class SimDevice;

/// Ownership: owns executables, their plans and launches, and keeps the storage from run to run.
class Executables {
 public:
  explicit Executables(SimDevice& sim) : sim_(sim) {}
  void begin();

  const auto& table() const { return executables_; }

  Executable& instantiate(Graph& graph, cuuint64_t flags);
  /// Returns the plan of the next launch for changes. Launches in flight do not see them.
  ExecutablePlan& writable(Executable& executable);
  /// Updates everything from `graph`, which has the same shape: parameters, and references to user
  /// objects. `after`: the completed launches of the executable.
  void replace(ExecutablePlan& plan, const Graph& graph, const Clock& after);
  void destroy(Executable& executable);

  /// Returns whether the memory that the launch allocates is free, or will be freed by it.
  /// Otherwise records a fault.
  bool may_launch(const Executable& executable);
  StreamPoint launch(Executable& executable, Stream& stream);
  /// Ends the launch, which releases its references.
  void end(GraphRun& run);

 private:
  ExecutablePlan& fresh_plan();
  GraphRun& fresh_run();
  ExecutablePlan& lay_out(Graph& graph);
  ExecutablePlan& copy(const ExecutablePlan& plan);
  void retire(ExecutablePlan& plan, const Clock& after);
  void announce_memory(const ExecutablePlan& plan, Work& work, const StreamPoint& point);
  void free_unfreed(const ExecutablePlan& plan, Stream& stream);

  SimDevice& sim_;
  RecycledHandles<Executable, HandleKind::graph_exec> executables_;
  Reused<ExecutablePlan> plans_;
  std::vector<ExecutablePlan*> spare_plans_;
  Reused<GraphRun> runs_;
  std::vector<GraphRun*> spare_runs_;
};

}  // namespace harness::devices
