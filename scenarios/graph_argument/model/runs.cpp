// SPDX-License-Identifier: Apache-2.0
#include "scenarios/graph_argument/model/runs.h"

#include <algorithm>

namespace scenarios::graph_argument {

ModelExec& ModelRuns::add_exec(const ModelGraph& graph, harness::BirthId life) {
  ModelExec* exec = world_.arena.make<ModelExec>();
  flatten(graph, exec->nodes);
  exec->life = life;
  exec->source = &graph;
  exec->changed = has_changed(graph);
  execs_.push_back(exec);
  return *exec;
}

void ModelRuns::update(ModelExec& exec, const ModelGraph& graph) {
  const ModelNodes before = std::exchange(exec.nodes, {});
  flatten(graph, exec.nodes);
  for (std::size_t i = 0; i < std::min(before.size(), exec.nodes.size()); ++i) {
    exec.nodes[i].serial = before[i].serial;  // It still accepts updates by these nodes.
    exec.nodes[i].home = before[i].home;
  }
  exec.given.clear();
  exec.in_doubt = false;
  exec.changed = has_changed(graph);
}

// It is unknown how often each of the nodes runs, like in a loop.
void ModelRuns::doubt(ModelExec& exec, const ModelGraph& graph) {
  const std::size_t count = exec.nodes.size();
  flatten(graph, exec.nodes);
  for (std::size_t i = count; i < std::min(2 * count, exec.nodes.size()); ++i) {
    exec.nodes[i].serial = exec.nodes[i - count].serial;
    exec.nodes[i].home = exec.nodes[i - count].home;
  }
  for (ModelNode& node : exec.nodes) node.looped = true;
  exec.in_doubt = true;
}

ModelLaunch& ModelRuns::add_launch(const ModelExec& exec) {
  ModelLaunch& launch = launches_.emplace_back();
  launch.nodes = exec.nodes;
  launch.given = exec.given;
  launch.calls = exec.updated_by;
  launch.calls.push_back(exec.made_by);
  return launch;
}

// Launches of a closed stream went to the default stream, of which there is one per process or per
// thread.
bool ModelRuns::finish(Call& call, StreamName stream) {
  bool news = false;
  call.waits = ++waits_;
  for (std::size_t i = 0; i < call.mark; ++i) {
    ModelLaunch& launch = launches_[i];
    const bool meant =
        stream == targets::graph_argument::kEveryStream ||
        (launch.stream == stream && (stream != StreamName::fallback || launch.task == call.task));
    if (!meant || std::exchange(launch.finished, true)) continue;
    launch.finished_in = waits_;
    news = true;
  }
  return news;
}

bool ModelRuns::finish_all() {
  bool news = false;
  ++waits_;
  for (ModelLaunch& launch : launches_) {
    if (std::exchange(launch.finished, true)) continue;
    launch.finished_in = waits_;
    news = true;
  }
  return news;
}

}  // namespace scenarios::graph_argument
