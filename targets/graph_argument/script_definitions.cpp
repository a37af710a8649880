// Definitions: how they are made, copied and changed, and what it means that one is gone.
#include "targets/graph_argument/script_add_node.h"

namespace targets::graph_argument {

using harness::Ref;

Ref Script::wrap_graph(Shared<GraphBox> graph) {
  const Ref made = make(kDefinitionType, DefinitionPayload{std::move(graph)});
  made->set("kept", core_.runtime.heap.make(kListType));
  return made;
}

Status Script::create_definition(Variable into) {
  const Op op(core_);
  Ref made;
  const Status status = c_call("GraphDefinition", [&] {
    CUgraph graph = nullptr;
    if (cuGraphCreate(&graph, 0) != CUDA_SUCCESS) return Status::driver_error;
    tell(&Observer::bound);
    made = wrap_graph(Shared<GraphBox>::make(core_.arena, core_, graph, core_.facts.make_graph(),
                                             Shared<GraphBox>(), nullptr));
    return Status::ok;
  });
  return keep(into, status, std::move(made));
}

bool Script::is_closed(const GraphBox& graph) {
  if (!graph.orphaned) return false;
  tell(&Observer::named_orphan, bits_of(graph.graph), policy_.sets_tombstones());
  return policy_.sets_tombstones();
}

Status Script::clone(Variable into, Variable variable) {
  const Op op(core_);
  Ref definition;
  if (const Status status = load(variable, kDefinitionType, definition); status != Status::ok)
    return status;
  Ref made;
  const Status status = c_call("clone", [&] {
    const Shared<GraphBox> from = graph_of(definition);
    if (is_closed(*from)) return Status::closed;
    CUgraph graph = nullptr;
    if (cuGraphClone(&graph, from->graph) != CUDA_SUCCESS) return Status::driver_error;
    tell(&Observer::bound);
    made = wrap_graph(Shared<GraphBox>::make(
        core_.arena, core_, graph, core_.facts.clone_graph(from->id), Shared<GraphBox>(), nullptr));
    return Status::ok;
  });
  return keep(into, status, std::move(made));
}

Status Script::set_attribute(Variable buffer_variable, Variable variable) {
  const Op op(core_);
  Ref buffer, definition;
  const Status status =
      load_all({{buffer_variable, kBufferType, buffer}, {variable, kDefinitionType, definition}});
  if (status != Status::ok) return status;
  step("STORE_ATTR");
  tell(&Witness::attribute_set, buffer->payload<BufferPayload>().thing, graph_of(definition)->id);
  buffer->set("graph", definition);
  tell(&Observer::bound);
  return Status::ok;
}

// ---- destroying ---------------------------------------------------------------------------------

/// The boxes of what went with a node say so from now on.
static void mark_orphaned(GraphBox& graph, CUgraphNode owner) {
  for (GraphBox* child : graph.children) {
    if (owner != nullptr && child->owner != owner) continue;
    child->orphaned = true;
    child->core.facts.tell(&Witness::handle_died, bits_of(child->graph));
    mark_orphaned(*child, nullptr);
  }
}

Status Script::destroy_node(Variable variable) {
  const Op op(core_);
  Ref node;
  if (const Status status = load(variable, kNodeType, node); status != Status::ok) return status;
  return c_call("GraphNode.destroy", [&] {
    auto& payload = node->payload<NodePayload>();
    const Shared<GraphBox> graph = payload.graph;
    if (payload.destroyed || is_closed(*graph)) return Status::closed;
    if (cuGraphDestroyNode(payload.node) != CUDA_SUCCESS) return Status::driver_error;
    payload.destroyed = true;
    tell(&Observer::bound);
    tell(&Witness::handle_died, bits_of(payload.node));
    if (graph->last == payload.node) graph->last = nullptr;
    mark_orphaned(*graph, payload.node);
    tell(&Witness::node_destroyed, graph->id, payload.id);
    policy_.destroyed(*graph, payload.node);
    return Status::ok;
  });
}

}  // namespace targets::graph_argument
