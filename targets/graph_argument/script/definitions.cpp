// SPDX-License-Identifier: Apache-2.0
// Definitions: making and copying them; also nodes with graphs inside: children, which are copies,
// and branches, which are made with their node.
#include "targets/graph_argument/script/definitions.h"

#include <algorithm>

#include "targets/graph_argument/script/kernel_call.h"

namespace targets::graph_argument {

using harness::Ref;

Status ScriptDefinitions::create_definition(Variable into) {
  const Method method(core_);
  Ref made;
  const Status status = frame_.c_call("GraphDefinition", [&] {
    CUgraph graph = nullptr;
    if (cuGraphCreate(&graph, 0) != CUDA_SUCCESS) return Status::driver_error;
    frame_.tell(&Observer::bound);
    made = wrap_graph(Shared<GraphBox>::make(core_.arena, core_, graph, core_.facts.make_graph(),
                                             Shared<GraphBox>(), nullptr));
    return Status::ok;
  });
  return frame_.keep(into, status, std::move(made));
}

Status ScriptDefinitions::clone(Variable into, Variable variable) {
  const Method method(core_);
  Ref definition;
  if (const Status status = frame_.load(variable, kDefinitionType, definition);
      status != Status::ok)
    return status;
  Ref made;
  const Status status = frame_.c_call("clone", [&] {
    const Shared<GraphBox> from = graph_of(definition);
    if (is_closed(*from)) return Status::closed;
    CUgraph graph = nullptr;
    if (cuGraphClone(&graph, from->graph) != CUDA_SUCCESS) return Status::driver_error;
    frame_.tell(&Observer::bound);
    const GraphId copy = core_.facts.clone_graph(from->id);
    core_.loops.graph_copied(copy, from->id);
    made = wrap_graph(
        Shared<GraphBox>::make(core_.arena, core_, graph, copy, Shared<GraphBox>(), nullptr));
    return Status::ok;
  });
  return frame_.keep(into, status, std::move(made));
}

// ---- children -----------------------------------------------------------------------------------

/// Returns a handle of a graph that belongs to the node.
static Shared<GraphBox> box_inside(const NodePayload& node, CUgraph graph, std::size_t body) {
  Core& core = node.graph->core;
  auto box =
      Shared<GraphBox>::make(core.arena, core, graph, node.bodies[body], node.graph, node.node);
  node.graph->children.push_back(box.get());
  return box;
}

Status ScriptDefinitions::add_child(Variable into, Variable variable, Variable child_variable) {
  const Method method(core_);
  Place place;
  Ref child, made;
  Status status = frame_.load_place(variable, place);
  if (status == Status::ok) status = frame_.load(child_variable, kDefinitionType, child);
  if (status != Status::ok) return status;
  status = frame_.c_call("GN_embed", [&] {
    const Shared<GraphBox> graph = place.graph;
    const Shared<GraphBox> embedded = graph_of(child);
    if (is_closed(*graph) || is_closed(*embedded)) return Status::closed;
    if (graph == embedded) return Status::type_error;
    const GraphId copy = core_.facts.clone_graph(embedded->id, graph->id);
    core_.loops.graph_copied(copy, embedded->id);
    return add_node(
        place, {.work = Work::child, .bodies = {copy}}, {}, made,
        [&](CUgraph into_graph, CUgraphNode* after, std::size_t count, CUgraphNode* node) {
          return cuGraphAddChildGraphNode(node, into_graph, after, count, embedded->graph);
        });
  });
  return frame_.keep(into, status, std::move(made));
}

// node.child_graph. Returns a handle that belongs to the node.
Status ScriptDefinitions::get_child(Variable into, Variable variable) {
  const Method method(core_);
  Ref node, made;
  if (const Status status = frame_.load(variable, kNodeType, node); status != Status::ok)
    return status;
  const Status status = frame_.c_call("child_graph", [&] {
    const NodePayload& payload = node->payload<NodePayload>();
    if (payload.destroyed || is_closed(*payload.graph)) return Status::closed;
    if (payload.work != Work::child) return Status::type_error;
    CUgraph graph = nullptr;
    if (cuGraphChildGraphNodeGetGraph(payload.node, &graph) != CUDA_SUCCESS)
      return Status::driver_error;
    frame_.tell(&Observer::bound);
    made = wrap_graph(box_inside(payload, graph, 0));
    return Status::ok;
  });
  return frame_.keep(into, status, std::move(made));
}

// ---- branches -----------------------------------------------------------------------------------

static Work work_of(Condition condition) {
  return static_cast<Work>(harness::raw(Work::if_then) + harness::raw(condition));
}

static std::uint32_t branch_count(Condition condition) {
  return condition == Condition::if_then || condition == Condition::while_loop ? 1 : 2;
}

/// Returns the condition's value for which `branch` runs.
static std::uint32_t value_for(Condition condition, std::uint32_t branch) {
  if (condition == Condition::switch_case) return branch;
  return branch == 0 ? 1 : 0;
}

static CUgraphNodeParams node_params(Condition condition, CUgraphConditionalHandle handle,
                                     CUcontext context) {
  static constexpr std::array<CUgraphConditionalNodeType, kConditionCount> kTypes{
      CU_GRAPH_COND_TYPE_IF, CU_GRAPH_COND_TYPE_IF, CU_GRAPH_COND_TYPE_WHILE,
      CU_GRAPH_COND_TYPE_SWITCH};
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  params.conditional.handle = handle;
  params.conditional.type = kTypes[harness::raw(condition)];
  params.conditional.size = branch_count(condition);
  params.conditional.ctx = context;
  return params;
}

// Makes all boxes before the first wrapper. Making a wrapper may run the collector, and code that
// then destroys the surrounding graph must find them all.
static void wrap_branches(const Ref& node, std::span<const CUgraph> graphs) {
  NodePayload& payload = node->payload<NodePayload>();
  std::array<Shared<GraphBox>, kBranchCount> boxes;
  for (std::size_t i = 0; i < graphs.size(); ++i) boxes[i] = box_inside(payload, graphs[i], i);
  for (std::size_t i = 0; i < graphs.size(); ++i)
    payload.branches[i] = wrap_graph(std::move(boxes[i]));
}

// node.body.launch(config, module.get_kernel("leave"), condition)
static Status add_leave(const Ref& loop, const Shared<ModuleBox>& module,
                        CUgraphConditionalHandle condition) {
  KernelCall call;
  if (const Status status = begin_call(module, Work::leave, call); status != Status::ok)
    return status;
  call.condition = condition;
  call.addresses[0] = &call.condition;
  Ref made;
  const Ref body = loop->payload<NodePayload>().branches[0];
  return add_called({body, graph_of(body)}, {.work = Work::leave, .helper = module->thing}, call,
                    made);
}

Status ScriptDefinitions::add_conditional(Variable into, Variable variable, Condition condition,
                                          std::uint32_t branch, Variable module_variable) {
  const Method method(core_);
  Place place;
  Ref module, made;
  Status status = frame_.load_place(variable, place);
  if (status == Status::ok) status = frame_.load(module_variable, kModuleType, module);
  if (status != Status::ok) return status;
  status = frame_.c_call("GN_conditional", [&] {
    const Shared<GraphBox> graph = place.graph;
    if (is_closed(*graph) || is_destroyed(place)) return Status::closed;
    CUgraphConditionalHandle handle = 0;
    if (cuGraphConditionalHandleCreate(&handle, graph->graph, core_.context,
                                       value_for(condition, branch),
                                       CU_GRAPH_COND_ASSIGN_DEFAULT) != CUDA_SUCCESS)
      return Status::driver_error;
    NodeFacts facts{.work = work_of(condition), .branch = branch};
    for (std::uint32_t i = 0; i < branch_count(condition); ++i)
      facts.bodies[i] = core_.facts.make_graph(graph->id);
    CUgraphNodeParams params = node_params(condition, handle, core_.context);
    const Status added =
        add_node(place, facts, {}, made,
                 [&](CUgraph into_graph, CUgraphNode* after, std::size_t count, CUgraphNode* node) {
                   return cuGraphAddNode(node, into_graph, after, nullptr, count, &params);
                 });
    if (added != Status::ok) return added;
    std::array<CUgraph, kBranchCount> bodies{};  // The driver owns the list in params.
    std::copy_n(params.conditional.phGraph_out, params.conditional.size, bodies.begin());
    wrap_branches(made, std::span(bodies).first(params.conditional.size));
    if (condition != Condition::while_loop) return Status::ok;
    return add_leave(made, module->payload<ModulePayload>().module, handle);
  });
  return frame_.keep(into, status, std::move(made));
}

// Returns a wrapper that the node's wrapper owns, even if the node was destroyed.
Status ScriptDefinitions::get_branch(Variable into, Variable variable, std::uint32_t branch) {
  const Method method(core_);
  Ref node;
  if (const Status status = frame_.load(variable, kNodeType, node); status != Status::ok)
    return status;
  frame_.step("LOAD_ATTR");
  const Ref found = node->payload<NodePayload>().branches[branch];
  if (found) frame_.tell(&Observer::bound);
  return frame_.keep(into, found ? Status::ok : Status::type_error, found);
}

}  // namespace targets::graph_argument
