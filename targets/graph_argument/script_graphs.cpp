// Executables: how they are made, launched, updated and closed.
#include "targets/graph_argument/script.h"

namespace targets::graph_argument {

using harness::Ref;

Status Script::instantiate_now(const Shared<GraphBox>& graph, Ref& made) {
  if (is_closed(*graph)) return Status::closed;
  if (!core_.facts.ends(graph->id)) return Status::type_error;  // The script knows better.
  CUgraphExec exec = nullptr;
  Keeping* keeping = nullptr;
  if (policy_.instantiate(*graph, exec, keeping) != CUDA_SUCCESS) return Status::driver_error;
  tell(&Observer::bound);
  auto box = Shared<ExecBox>::make(core_.arena, core_, exec, core_.facts.make_exec(graph->id));
  box->keeping = keeping;
  made = make(kGraphType, GraphPayload{std::move(box)});
  return Status::ok;
}

Status Script::instantiate(Variable into, Variable variable) {
  const Op op(core_);
  Ref definition, made;
  if (const Status status = load(variable, kDefinitionType, definition); status != Status::ok)
    return status;
  const Status status = c_call("instantiate", [&] {
    const Shared<GraphBox> graph = definition->payload<DefinitionPayload>().graph;
    return instantiate_now(graph, made);
  });
  return keep(into, status, std::move(made));
}

Status Script::upload(Variable variable, StreamName name) {
  const Op op(core_);
  Ref graph;
  if (const Status status = load(variable, kGraphType, graph); status != Status::ok) return status;
  return c_call("Graph.upload", [&] {
    const Shared<ExecBox> exec = graph->payload<GraphPayload>().exec;
    CUstream stream = nullptr;
    if (!exec) return Status::closed;
    if (const Status found = stream_of(name, stream); found != Status::ok) return found;
    if (cuGraphUpload(exec->exec, stream) != CUDA_SUCCESS) return Status::driver_error;
    tell(&Observer::bound);
    return Status::ok;
  });
}

Status Script::launch(Variable variable, StreamName name) {
  const Op op(core_);
  Ref graph;
  if (const Status status = load(variable, kGraphType, graph); status != Status::ok) return status;
  return c_call("Graph.launch", [&] {
    const Shared<ExecBox> exec = graph->payload<GraphPayload>().exec;
    CUstream stream = nullptr;
    if (!exec) return Status::closed;
    if (const Status found = stream_of(name, stream); found != Status::ok) return found;
    tell(&Witness::launches, exec->id, name);
    if (cuGraphLaunch(exec->exec, stream) != CUDA_SUCCESS) {
      tell(&Witness::launch_failed);
      return Status::driver_error;
    }
    tell(&Observer::bound);
    return Status::ok;
  });
}

Status Script::update_node(Variable variable, Variable node, Variable first, Variable second) {
  const Op op(core_);
  Ref graph;
  std::array<Ref, 3> loaded;
  Status status = load(variable, kGraphType, graph);
  if (status == Status::ok) status = load_change(node, first, second, loaded);
  if (status != Status::ok) return status;
  return c_call("Graph.update_node", [&] {
    const Shared<ExecBox> exec = graph->payload<GraphPayload>().exec;
    if (!exec) return Status::closed;
    KernelCall call;
    if (const Status prepared = prepare_change(loaded[0], loaded[1], loaded[2], call);
        prepared != Status::ok)
      return prepared;
    const NodePayload& payload = loaded[0]->payload<NodePayload>();
    policy_.prepare_update(*exec, call.owners);
    if (cuGraphExecKernelNodeSetParams(exec->exec, payload.node, &call.params) != CUDA_SUCCESS) {
      policy_.roll_back_update(*exec);
      return Status::driver_error;
    }
    tell(&Witness::exec_node_changed, exec->id, payload.id, call.things);
    tell(&Observer::bound);
    return Status::ok;
  });
}

Status Script::update(Variable variable, Variable definition_variable) {
  const Op op(core_);
  Ref graph, definition;
  const Status status =
      load_all({{variable, kGraphType, graph}, {definition_variable, kDefinitionType, definition}});
  if (status != Status::ok) return status;
  return c_call("Graph.update", [&] {
    const Shared<ExecBox> exec = graph->payload<GraphPayload>().exec;
    const Shared<GraphBox> from = definition->payload<DefinitionPayload>().graph;
    if (!exec || is_closed(*from)) return Status::closed;
    if (!core_.facts.ends(from->id)) return Status::type_error;
    const CUresult result = policy_.update(*exec, *from);
    if (result == CUDA_SUCCESS) {
      tell(&Witness::exec_updated, exec->id, from->id);
      tell(&Observer::bound);
      return Status::ok;
    }
    tell(&Observer::update_failed);
    return result == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE ? Status::update_failed
                                                          : Status::driver_error;
  });
}

Status Script::close_graph(Variable variable) {
  const Op op(core_);
  Ref graph;
  if (const Status status = load(variable, kGraphType, graph); status != Status::ok) return status;
  return c_call("Graph.close", [&] {
    const Shared<ExecBox> exec = std::move(graph->payload<GraphPayload>().exec);
    tell(&Observer::bound);
    return Status::ok;
  });
}

}  // namespace targets::graph_argument
