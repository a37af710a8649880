// SPDX-License-Identifier: Apache-2.0
#include "targets/graph_argument/script/executables.h"

#include "targets/graph_argument/script/kernel_call.h"

namespace targets::graph_argument {

using harness::Ref;

Status ScriptExecutables::instantiate(Variable into, Variable variable) {
  const Method method(core_);
  Ref definition, made;
  if (const Status status = frame_.load(variable, kDefinitionType, definition);
      status != Status::ok)
    return status;
  const Status status = frame_.c_call("instantiate", [&] {
    const Shared<GraphBox> graph = definition->payload<DefinitionPayload>().graph;
    return instantiate_graph(graph, made);
  });
  return frame_.keep(into, status, std::move(made));
}

Status ScriptExecutables::upload(Variable variable, StreamName name) {
  const Method method(core_);
  Ref graph;
  if (const Status status = frame_.load(variable, kGraphType, graph); status != Status::ok)
    return status;
  return frame_.c_call("Graph.upload", [&] {
    const Shared<ExecBox> exec = graph->payload<GraphPayload>().exec;
    const Shared<StreamBox> held = core_.streams[harness::raw(name)];  // Another task may close it.
    CUstream stream = nullptr;
    if (!exec) return Status::closed;
    if (const Status found = frame_.stream_of(name, stream); found != Status::ok) return found;
    if (cuGraphUpload(exec->exec, stream) != CUDA_SUCCESS) return Status::driver_error;
    frame_.tell(&Observer::bound);
    return Status::ok;
  });
}

Status ScriptExecutables::launch(Variable variable, StreamName name) {
  const Method method(core_);
  Ref graph;
  if (const Status status = frame_.load(variable, kGraphType, graph); status != Status::ok)
    return status;
  return frame_.c_call("Graph.launch", [&] {
    const Shared<ExecBox> exec = graph->payload<GraphPayload>().exec;
    const Shared<StreamBox> held = core_.streams[harness::raw(name)];  // Another task may close it.
    CUstream stream = nullptr;
    if (!exec) return Status::closed;
    if (const Status found = frame_.stream_of(name, stream); found != Status::ok) return found;
    frame_.tell(&ExecWitness::launches, exec->id, name);
    if (cuGraphLaunch(exec->exec, stream) != CUDA_SUCCESS) {
      frame_.tell(&ExecWitness::launch_failed);
      return Status::driver_error;
    }
    frame_.tell(&Observer::bound);
    return Status::ok;
  });
}

Status ScriptExecutables::update_node(Variable variable, Variable node, Variable first,
                                      Variable second) {
  const Method method(core_);
  Ref graph;
  std::array<Ref, 3> loaded;
  Status status = frame_.load(variable, kGraphType, graph);
  if (status == Status::ok) status = load_change(frame_, node, first, second, loaded);
  if (status != Status::ok) return status;
  return frame_.c_call("Graph.update_node", [&] {
    const Shared<ExecBox> exec = graph->payload<GraphPayload>().exec;
    if (!exec) return Status::closed;
    KernelCall call;
    if (const Status prepared = prepare_change(loaded[0], loaded[1], loaded[2], call);
        prepared != Status::ok)
      return prepared;
    const NodePayload& payload = loaded[0]->payload<NodePayload>();
    core_.policy->prepare_update(*exec, call.owners);
    if (cuGraphExecKernelNodeSetParams(exec->exec, payload.node, &call.params) != CUDA_SUCCESS) {
      core_.policy->roll_back_update(*exec);
      return Status::driver_error;
    }
    frame_.tell(&ExecWitness::exec_node_changed, exec->id, payload.id, call.things);
    tell_closed(core_, payload.work, call);
    frame_.tell(&Observer::bound);
    return Status::ok;
  });
}

Status ScriptExecutables::update(Variable variable, Variable definition_variable) {
  const Method method(core_);
  Ref graph, definition;
  const Status status = frame_.load_all(
      {{variable, kGraphType, graph}, {definition_variable, kDefinitionType, definition}});
  if (status != Status::ok) return status;
  return frame_.c_call("Graph.update", [&] {
    const Shared<ExecBox> exec = graph->payload<GraphPayload>().exec;
    const Shared<GraphBox> from = definition->payload<DefinitionPayload>().graph;
    if (!exec || is_closed(*from)) return Status::closed;
    if (core_.loops.never_end(from->id)) return Status::type_error;
    const CUresult result = core_.policy->update(*exec, *from);
    if (result == CUDA_SUCCESS) {
      frame_.tell(&ExecWitness::exec_updated, exec->id, from->id);
      frame_.tell(&Observer::bound);
      return Status::ok;
    }
    if (result == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE) return Status::update_failed;
    frame_.tell(&ExecWitness::exec_in_doubt, exec->id, from->id);
    return Status::driver_error;
  });
}

Status ScriptExecutables::close_graph(Variable variable) {
  const Method method(core_);
  Ref graph;
  if (const Status status = frame_.load(variable, kGraphType, graph); status != Status::ok)
    return status;
  return frame_.c_call("Graph.close", [&] {
    const Shared<ExecBox> exec = std::move(graph->payload<GraphPayload>().exec);
    frame_.tell(&Observer::bound);
    return Status::ok;
  });
}

}  // namespace targets::graph_argument
