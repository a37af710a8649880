// SPDX-License-Identifier: Apache-2.0
// Executables: executable graphs: laying them out, changing, launching and destroying them.
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
  /// Returns the plan of the next launch, for changing: nothing in flight sees the change.
  ExecutablePlan& writable(Executable& executable);
  /// Makes everything as in `graph`, which has the same shape: parameters, and references to user
  /// objects. `after`: the launches of the executable that are over.
  void replace(ExecutablePlan& plan, const Graph& graph, const Clock& after);
  void destroy(Executable& executable);

  /// Checks that what the launch allocates is free, or will be freed by it. Otherwise a fault.
  bool may_launch(const Executable& executable);
  StreamPoint launch(Executable& executable, Stream& stream);
  /// Ends the launch, which lets go of what it held.
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
