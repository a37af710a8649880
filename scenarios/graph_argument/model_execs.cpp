// What calls come to in executables and launches: nodes by value, flat, as they were then.
#include "scenarios/graph_argument/model.h"

#include <algorithm>

namespace scenarios::graph_argument {

// What has graphs inside comes after them, and does nothing itself.
void Model::flatten(const ModelGraph& graph, ModelNodes& into, bool idle, bool looped) {
  for (const ModelNode& node : graph.nodes) {
    const bool loops = looped || node.work == Work::while_loop;
    std::array<std::size_t, targets::graph_argument::kBranchCount> inside{};
    for (std::size_t i = 0; i < node.bodies.size(); ++i) {
      const std::size_t before = into.size();
      if (node.bodies[i] != nullptr) flatten(*node.bodies[i], into, idle || !node.runs(i), loops);
      inside[i] = into.size() - before;
    }
    ModelNode& made = into.emplace_back(node);
    made.inside = inside;
    made.home = &graph;
    made.idle = idle;
    made.looped = looped;
  }
}

ModelExec& Model::instantiate(Call& call, ModelGraph& graph) {
  ModelExec* exec = scene_.world().arena.make<ModelExec>();
  flatten(graph, exec->nodes);
  exec->life = newest("executable graph");
  exec->made_by = call.number;
  exec->source = &graph;
  exec->changed = has_changed(graph);
  execs_.push_back(exec);
  hold({.life = exec->life, .of = Holding::Of::exec, .exec = exec});
  call.made = &wrap(Kind::graph);
  call.made->exec = exec;
  return *exec;
}

bool Model::has_changed(const ModelGraph& graph) {
  return graph.changed ||
         std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const ModelNode& node) {
           return std::any_of(node.bodies.begin(), node.bodies.end(), [](const ModelGraph* body) {
             return body != nullptr && has_changed(*body);
           });
         });
}

void Model::launch(Call& call) {
  const ModelExec& exec = *call.referred[0]->exec;
  ModelLaunch& launch = launches_.emplace_back();
  launch.nodes = exec.nodes;
  launch.given = exec.given;
  launch.calls = exec.updated_by;
  launch.calls.push_back(exec.made_by);
  const StreamName stream = *call.asked.stream;
  launch.stream = stream_is_closed(stream) ? StreamName::fallback : stream;
  launch.task = call.task;
}

void Model::bind_exec(Call& call) {
  switch (call.asked.op) {
    case Op::instantiate:
    case Op::complete:
      instantiate(call, *call.referred[0]->graph);
      return;
    case Op::launch:
      return launch(call);
    case Op::update_node: {
      ModelExec& exec = *call.referred[0]->exec;
      const Wrapped& wrapped = *call.referred[1];
      for (ModelNode& node : exec.nodes) {
        if (!node.is(wrapped.serial, wrapped.graph)) continue;
        exec.given.push_back(node);  // It stays until the next whole update.
        node.things = things_of(node.work, *call.referred[2], *call.referred[3]);
        exec.given.push_back(node);
        exec.given.back().helper = wrapped.module;
      }
      return;
    }
    case Op::update: {
      ModelExec& exec = *call.referred[0]->exec;
      const ModelNodes before = std::exchange(exec.nodes, {});
      flatten(*call.referred[1]->graph, exec.nodes);
      for (std::size_t i = 0; i < std::min(before.size(), exec.nodes.size()); ++i) {
        exec.nodes[i].serial = before[i].serial;  // It goes on taking updates by these nodes.
        exec.nodes[i].home = before[i].home;
      }
      exec.given.clear();
      exec.made_by = 0;
      exec.updated_by.assign(1, call.number);
      exec.changed = has_changed(*call.referred[1]->graph);
      lost_some_ = true;
      return;
    }
    case Op::close_graph:
      call.referred[0]->exec->closed = lost_some_ = true;
      return;
    default:
      return;
  }
}

}  // namespace scenarios::graph_argument
