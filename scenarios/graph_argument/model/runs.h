// SPDX-License-Identifier: Apache-2.0
// ModelRuns: the executables of a script and their launches, each with a flat copy of the nodes at
// that time.
#pragma once

#include "scenarios/graph_argument/model/records.h"

namespace scenarios::graph_argument {

/// Ownership: borrows the world; its records are in the run's arena.
class ModelRuns {
 public:
  explicit ModelRuns(harness::World& world) : world_(world) {}

  ModelExec& add_exec(const ModelGraph& graph, harness::BirthId life);
  /// The executable now has the nodes of the graph.
  static void update(ModelExec& exec, const ModelGraph& graph);
  /// The executable has either its old nodes or those of the graph: it is unknown which.
  static void doubt(ModelExec& exec, const ModelGraph& graph);
  const std::pmr::vector<ModelExec*>& execs() const { return execs_; }

  ModelLaunch& add_launch(const ModelExec& exec);
  const std::pmr::vector<ModelLaunch>& launches() const { return launches_; }

  // ---- waits ----
  /// All launches on the stream before the call's wait have finished. Returns whether any was not
  /// known to have finished.
  bool finish(Call& call, StreamName stream);
  /// All launches have finished. Returns the same.
  bool finish_all();

 private:
  harness::World& world_;
  std::pmr::vector<ModelExec*> execs_;
  std::pmr::vector<ModelLaunch> launches_;
  std::uint32_t waits_ = 0;
};

}  // namespace scenarios::graph_argument
