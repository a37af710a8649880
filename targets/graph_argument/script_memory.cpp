// Memory of graphs: nodes that allocate and free it, and kernels that work in it. What the script
// has of it is an address, as a number: nobody keeps anything alive by it, in any generation.
#include "targets/graph_argument/script_add_node.h"

namespace targets::graph_argument {

using harness::Ref;

Status Script::add_alloc(Variable into, Variable variable) {
  const Op op(core_);
  Ref definition, made;
  if (const Status status = load(variable, kDefinitionType, definition); status != Status::ok)
    return status;
  const Status status = c_call("GN_alloc", [&] {
    CUDA_MEM_ALLOC_NODE_PARAMS params{};
    params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    params.bytesize = sizeof(Words);
    const Status added =
        add_node(definition, {.work = Work::allocation}, {}, made,
                 [&](CUgraph graph, CUgraphNode* after, std::size_t count, CUgraphNode* node) {
                   return cuGraphAddMemAllocNode(node, graph, after, count, &params);
                 });
    if (added != Status::ok) return added;
    made->payload<NodePayload>().address = params.dptr;
    return Status::ok;
  });
  return keep(into, status, std::move(made));
}

Status Script::add_free(Variable into, Variable variable, Variable node_variable) {
  const Op op(core_);
  Ref definition, node, made;
  Status status =
      load_all({{variable, kDefinitionType, definition}, {node_variable, kNodeType, node}});
  if (status != Status::ok) return status;
  status = c_call("GN_free", [&] {
    const NodePayload& allocation = node->payload<NodePayload>();
    if (allocation.work != Work::allocation) return Status::type_error;
    const GraphId graph = graph_of(definition)->id;
    tell(&Witness::frees, graph, allocation.id);
    const Status added = add_node(
        definition, {.work = Work::free, .allocation = allocation.id}, {}, made,
        [&](CUgraph into_graph, CUgraphNode* after, std::size_t count, CUgraphNode* made_node) {
          return cuGraphAddMemFreeNode(made_node, into_graph, after, count, allocation.address);
        });
    if (added == Status::ok) tell(&Witness::freed, graph, allocation.id);
    return added;
  });
  return keep(into, status, std::move(made));
}

Status Script::add_scratch(Variable into, Variable variable, Variable module_variable,
                           Variable node_variable, Variable buffer_variable) {
  const Op op(core_);
  Ref definition, module, node, buffer, made;
  Status status = load_all({{variable, kDefinitionType, definition},
                            {module_variable, kModuleType, module},
                            {node_variable, kNodeType, node},
                            {buffer_variable, kBufferType, buffer}});
  if (status != Status::ok) return status;
  status = c_call("GN_launch", [&] {
    const NodePayload& allocation = node->payload<NodePayload>();
    if (allocation.work != Work::allocation) return Status::type_error;
    const Shared<ModuleBox> code = module->payload<ModulePayload>().module;
    KernelCall call;
    if (const Status begun = begin_call(code, Work::scratch, call); begun != Status::ok)
      return begun;
    const BufferPayload& target = buffer->payload<BufferPayload>();
    if (!target.memory) return Status::closed;
    call.x = allocation.address;
    call.y = target.memory->address;
    call.addresses = {&call.x, &call.y, nullptr};
    call.owners.arguments->set(0u, buffer);
    tell(&Witness::works_in, graph_of(definition)->id, allocation.id);
    return add_called(definition,
                      {.work = Work::scratch,
                       .things = {target.thing},
                       .helper = code->thing,
                       .allocation = allocation.id},
                      call, made);
  });
  return keep(into, status, std::move(made));
}

}  // namespace targets::graph_argument
