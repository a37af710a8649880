// SPDX-License-Identifier: Apache-2.0
// ModelRuns: the executables of a script and their launches: nodes by value, flat, as they were
// then.
#pragma once

#include "scenarios/graph_argument/model/records.h"

namespace scenarios::graph_argument {

/// Ownership: borrows the world; what it knows is in the run's arena.
class ModelRuns {
 public:
  explicit ModelRuns(harness::World& world) : world_(world) {}

  ModelExec& add_exec(const ModelGraph& graph, harness::BirthId life);
  /// All nodes of the executable are those of the graph from now on.
  static void update(ModelExec& exec, const ModelGraph& graph);
  /// The executable may be as it was, or have the nodes of the graph: nothing has said which.
  static void doubt(ModelExec& exec, const ModelGraph& graph);
  const std::pmr::vector<ModelExec*>& execs() const { return execs_; }

  ModelLaunch& add_launch(const ModelExec& exec);
  const std::pmr::vector<ModelLaunch>& launches() const { return launches_; }

  // ---- waits ----
  /// What had been launched on the stream when the call began to wait is over. Returns whether that
  /// is news of something.
  bool finish(Call& call, StreamName stream);
  /// All that was launched is over.
  bool finish_all();

 private:
  harness::World& world_;
  std::pmr::vector<ModelExec*> execs_;
  std::pmr::vector<ModelLaunch> launches_;
  std::uint32_t waits_ = 0;
};

}  // namespace scenarios::graph_argument
