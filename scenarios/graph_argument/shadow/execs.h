// SPDX-License-Identifier: Apache-2.0
// ShadowExecs: the script's actions on its executables, and the launches that may still run.
#pragma once

#include "scenarios/graph_argument/shadow/users.h"
#include "scenarios/graph_argument/windows.h"

namespace scenarios::graph_argument {

/// Ownership: borrows all members.
class ShadowExecs final : public targets::graph_argument::ExecWitness {
 public:
  using ExecId = targets::graph_argument::ExecId;
  using GraphId = targets::graph_argument::GraphId;
  using NodeId = targets::graph_argument::NodeId;
  using StreamName = targets::graph_argument::StreamName;
  using Things = targets::graph_argument::Things;
  using ThingKind = targets::graph_argument::ThingKind;

  ShadowExecs(harness::Scene& scene, ShadowRecords& records, const ShadowUsers& users,
              Passages& passages)
      : scene_(scene), records_(records), users_(users), passages_(passages) {}

  /// The current task begins to wait.
  void waits();
  /// The current task learns that the stream has finished all work from before the wait.
  void finished(StreamName stream);

  void exec_made(ExecId exec, GraphId graph) override;
  void exec_node_changed(ExecId exec, NodeId node, const Things& things) override;
  void exec_updated(ExecId exec, GraphId graph) override;
  void exec_in_doubt(ExecId exec, GraphId graph) override;
  void exec_appended(ExecId exec) override;
  void exec_dropped(ExecId exec) override;
  void launches(ExecId exec, StreamName stream) override;
  void launch_failed() override;

 private:
  static void flatten(const ShadowGraph& graph, ShadowNodes& into, bool idle = false);
  void reach_lost(const ShadowExec& exec);
  void reach_unfreed(const ShadowExec& exec);
  void reach_let_go(const ShadowNodes& nodes);

  harness::Scene& scene_;
  ShadowRecords& records_;
  const ShadowUsers& users_;
  Passages& passages_;
  std::pmr::vector<std::size_t> marks_;  ///< By task: number of launches when its wait began.
};

}  // namespace scenarios::graph_argument
