// SPDX-License-Identifier: Apache-2.0
// How it works. A method takes the GIL and loads its variables step by step; the rest is one C
// call, which builds the parameters (kernel_call.h) and adds the node (graphs.h).
#include "targets/graph_argument/script/nodes.h"

#include "targets/graph_argument/script/kernel_call.h"

namespace targets::graph_argument {

using harness::Ref;

// ---- kernels ------------------------------------------------------------------------------------

static Status add_kernel_node(const Place& place, const Shared<ModuleBox>& module, Work work,
                              const Ref& first, const Ref& second, Ref& made) {
  KernelCall call;
  if (const Status status = prepare_call(module, work, first, second, call); status != Status::ok)
    return status;
  return add_called(place, {.work = work, .things = call.things, .helper = module->thing}, call,
                    made);
}

static Work work_of(Kernel kernel) {
  static constexpr std::array<Work, kKernelCount> kWork{Work::add_one, Work::saxpy, Work::block_sum,
                                                        Work::consume, Work::chase};
  return kWork[harness::raw(kernel)];
}

Status ScriptNodes::add_kernel(Variable into, Variable variable, Variable module_variable,
                               Kernel kernel, Variable first_variable, Variable second_variable) {
  const Method method(core_);
  Place place;
  Ref module, first, second, made;
  Status status = frame_.load_place(variable, place);
  if (status == Status::ok)
    status = frame_.load_all({{module_variable, kModuleType, module},
                              {first_variable, kBufferType, first},
                              {second_variable, kBufferType, second}});
  if (status != Status::ok) return status;
  const Shared<ModuleBox> box = module->payload<ModulePayload>().module;
  status = frame_.c_call("GN_launch", [&] {
    if (kernel != Kernel::produce_consume)
      return add_kernel_node(place, box, work_of(kernel), first, second, made);
    if (const Status produced = add_kernel_node(place, box, Work::produce, first, second, made);
        produced != Status::ok)
      return produced;
    const Place after{place.definition, place.graph, made};  // node.launch(...)
    return add_kernel_node(after, box, Work::consume, first, second, made);
  });
  return frame_.keep(into, status, std::move(made));
}

// Makes the wrapper for the policy first: like the tuple, it may run the collector.
Status ScriptNodes::set_params(Variable variable, Variable first, Variable second) {
  const Method method(core_);
  std::array<Ref, 3> loaded;
  if (const Status status = load_change(frame_, variable, first, second, loaded);
      status != Status::ok)
    return status;
  return frame_.c_call("set_params", [&] {
    const NodePayload& payload = loaded[0]->payload<NodePayload>();
    const Ref definition = wrap_graph(payload.graph);
    KernelCall call;
    if (const Status status = prepare_change(loaded[0], loaded[1], loaded[2], call);
        status != Status::ok)
      return status;
    GraphBox& graph = *payload.graph;
    Keeping* prepared = nullptr;
    if (const Status status = core_.policy->prepare(graph, call.owners, prepared);
        status != Status::ok)
      return status;
    if (cuGraphKernelNodeSetParams(payload.node, &call.params) != CUDA_SUCCESS) {
      core_.policy->roll_back(graph, prepared);
      return Status::driver_error;
    }
    frame_.tell(&GraphWitness::node_changed, graph.id, payload.id, call.things);
    tell_closed(core_, payload.work, call);
    frame_.tell(&Observer::bound);
    const Status status =
        core_.policy->commit(graph, *definition, payload.node, call.owners, prepared);
    frame_.tell(&GraphWitness::node_attached, graph.id, payload.id, status == Status::ok);
    return status;
  });
}

// ---- copies and sets ----------------------------------------------------------------------------

static CUDA_MEMCPY3D copy_of(CUdeviceptr target, CUdeviceptr source) {
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = source;
  copy.dstDevice = target;
  copy.WidthInBytes = sizeof(Words);
  copy.Height = copy.Depth = 1;
  return copy;
}

/// Step names of both calls, and the kinds of their nodes.
struct CopyOrSet {
  harness::Label step;
  Work work;
};
static constexpr std::array<CopyOrSet, 2> kCopyOrSet{
    {{"GN_memset", Work::set}, {"GN_memcpy", Work::copy}}};

Status ScriptNodes::add_copy_or_set(Variable into, Variable variable, Variable target_variable,
                                    Variable source_variable, std::int32_t value) {
  const Method method(core_);
  Place place;
  Ref target, source, made;
  Status status = frame_.load_place(variable, place);
  if (status == Status::ok)
    status = frame_.load_all(
        {{target_variable, kBufferType, target}, {source_variable, kBufferType, source}});
  if (status != Status::ok) return status;
  const bool copies = target_variable != source_variable;
  status = frame_.c_call(kCopyOrSet[copies].step, [&] {
    Owners owners;
    owners.operands = core_.runtime.heap.make(kTupleType);  // First: see prepare_call().
    const BufferPayload& to = target->payload<BufferPayload>();
    const BufferPayload& from = source->payload<BufferPayload>();
    if (!to.memory || !from.memory) return Status::closed;
    const CUdeviceptr out = to.memory->address + offsetof(Block, out);
    const bool keeps = core_.api.takes_operands;
    NodeFacts facts{.work = kCopyOrSet[copies].work, .things = {to.thing}, .by_address = !keeps};
    if (keeps) {
      owners.operands->set(0u, target);
      owners.memory[0] = to.memory;
    }
    if (!copies)
      return add_node(place, facts, owners, made,
                      [&](CUgraph graph, CUgraphNode* after, std::size_t count, CUgraphNode* node) {
                        const CUDA_MEMSET_NODE_PARAMS params{
                            out, 0, static_cast<unsigned>(value), 4, kBlockWords, 1};
                        return cuGraphAddMemsetNode(node, graph, after, count, &params,
                                                    core_.context);
                      });
    facts.things[1] = from.thing;
    if (keeps) {
      owners.operands->set(1u, source);
      owners.memory[1] = from.memory;
    }
    const CUDA_MEMCPY3D copy = copy_of(out, from.memory->address + offsetof(Block, in));
    return add_node(place, facts, owners, made,
                    [&](CUgraph graph, CUgraphNode* after, std::size_t count, CUgraphNode* node) {
                      return cuGraphAddMemcpyNode(node, graph, after, count, &copy, core_.context);
                    });
  });
  return frame_.keep(into, status, std::move(made));
}

Status ScriptNodes::add_memcpy(Variable into, Variable definition, Variable target,
                               Variable source) {
  if (target == source) return Status::type_error;  // Ranges of one buffer would overlap.
  return add_copy_or_set(into, definition, target, source, 0);
}

Status ScriptNodes::add_memset(Variable into, Variable definition, Variable target,
                               std::int32_t value) {
  return add_copy_or_set(into, definition, target, target, value);
}

// ---- events and functions -----------------------------------------------------------------------

Status ScriptNodes::add_event_node(Variable into, Variable variable, Variable event_variable,
                                   Work work) {
  const Method method(core_);
  Place place;
  Ref event, made;
  Status status = frame_.load_place(variable, place);
  if (status == Status::ok) status = frame_.load(event_variable, kEventType, event);
  if (status != Status::ok) return status;
  status = frame_.c_call("GN_event", [&] {
    const EventPayload& payload = event->payload<EventPayload>();
    if (!payload.event) return Status::closed;
    Owners owners;
    owners.event = payload.event;
    const CUevent handle = payload.event->event;
    return add_node(place, {.work = work, .helper = payload.thing}, owners, made,
                    [&](CUgraph graph, CUgraphNode* after, std::size_t count, CUgraphNode* node) {
                      return work == Work::record
                                 ? cuGraphAddEventRecordNode(node, graph, after, count, handle)
                                 : cuGraphAddEventWaitNode(node, graph, after, count, handle);
                    });
  });
  return frame_.keep(into, status, std::move(made));
}

Status ScriptNodes::add_record(Variable into, Variable definition, Variable event) {
  return add_event_node(into, definition, event, Work::record);
}

Status ScriptNodes::add_wait(Variable into, Variable definition, Variable event) {
  return add_event_node(into, definition, event, Work::wait);
}

/// PyObject* as CUDA stores it. Only what is attached to the graph counts a reference.
struct HostCall {
  Core& core;
  harness::BorrowedRef function;
};

// Allocates the function's result, so the collector may run on CUDA's thread.
static void call_function(void* data) {
  const HostCall& call = *static_cast<const HostCall*>(data);
  const CallbackScope callback(call.core);
  const CallbackAttach attach(call.core);
  const Ref called = call.function.own();
  call.core.interpreter.step("CALL");
  const Ref made = call.core.runtime.heap.make(kListType);
}

Status ScriptNodes::add_callback(Variable into, Variable variable) {
  const Method method(core_);
  Place place;
  Ref made;
  if (const Status status = frame_.load_place(variable, place); status != Status::ok) return status;
  const Status status = frame_.c_call("GN_callback", [&] {
    Owners owners;
    owners.function = core_.runtime.heap.make(kFunctionType);
    auto* host_call = core_.arena.make<HostCall>(core_, owners.function);
    const CUDA_HOST_NODE_PARAMS params{call_function, host_call};
    const ThingId thing = core_.facts.make_thing(ThingKind::function);
    return add_node(place, {.work = Work::callback, .helper = thing}, owners, made,
                    [&](CUgraph graph, CUgraphNode* after, std::size_t count, CUgraphNode* node) {
                      return cuGraphAddHostNode(node, graph, after, count, &params);
                    });
  });
  return frame_.keep(into, status, std::move(made));
}

// ---- memory of graphs ---------------------------------------------------------------------------

// The script gets an address, as a number, which keeps nothing alive in any version of
// cuda.core.
Status ScriptNodes::add_alloc(Variable into, Variable variable) {
  const Method method(core_);
  Place place;
  Ref made;
  if (const Status status = frame_.load_place(variable, place); status != Status::ok) return status;
  const Status status = frame_.c_call("GN_alloc", [&] {
    CUDA_MEM_ALLOC_NODE_PARAMS params{};
    params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    params.bytesize = sizeof(Words);
    const Status added =
        add_node(place, {.work = Work::allocation}, {}, made,
                 [&](CUgraph graph, CUgraphNode* after, std::size_t count, CUgraphNode* node) {
                   return cuGraphAddMemAllocNode(node, graph, after, count, &params);
                 });
    if (added != Status::ok) return added;
    made->payload<NodePayload>().address = params.dptr;
    return Status::ok;
  });
  return frame_.keep(into, status, std::move(made));
}

Status ScriptNodes::add_free(Variable into, Variable variable, Variable node_variable) {
  const Method method(core_);
  Place place;
  Ref node, made;
  Status status = frame_.load_place(variable, place);
  if (status == Status::ok) status = frame_.load(node_variable, kNodeType, node);
  if (status != Status::ok) return status;
  status = frame_.c_call("GN_free", [&] {
    const NodePayload& allocation = node->payload<NodePayload>();
    if (allocation.work != Work::allocation) return Status::type_error;
    const GraphId graph = place.graph->id;
    frame_.tell(&GraphWitness::frees, graph, allocation.id);
    const Status added = add_node(
        place, {.work = Work::free, .allocation = allocation.id}, {}, made,
        [&](CUgraph into_graph, CUgraphNode* after, std::size_t count, CUgraphNode* made_node) {
          return cuGraphAddMemFreeNode(made_node, into_graph, after, count, allocation.address);
        });
    if (added == Status::ok) frame_.tell(&GraphWitness::freed, graph, allocation.id);
    return added;
  });
  return frame_.keep(into, status, std::move(made));
}

Status ScriptNodes::add_scratch(Variable into, Variable variable, Variable module_variable,
                                Variable node_variable, Variable buffer_variable) {
  const Method method(core_);
  Place place;
  Ref module, node, buffer, made;
  Status status = frame_.load_place(variable, place);
  if (status == Status::ok)
    status = frame_.load_all({{module_variable, kModuleType, module},
                              {node_variable, kNodeType, node},
                              {buffer_variable, kBufferType, buffer}});
  if (status != Status::ok) return status;
  status = frame_.c_call("GN_launch", [&] {
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
    call.buffers[0] = buffer;
    frame_.tell(&GraphWitness::works_in, place.graph->id, allocation.id);
    return add_called(place,
                      {.work = Work::scratch,
                       .things = {target.thing},
                       .helper = code->thing,
                       .allocation = allocation.id},
                      call, made);
  });
  return frame_.keep(into, status, std::move(made));
}

// ---- destroying ---------------------------------------------------------------------------------

Status ScriptNodes::destroy_node(Variable variable) {
  const Method method(core_);
  Ref node;
  if (const Status status = frame_.load(variable, kNodeType, node); status != Status::ok)
    return status;
  return frame_.c_call("GraphNode.destroy", [&] {
    auto& payload = node->payload<NodePayload>();
    const Shared<GraphBox> graph = payload.graph;
    if (payload.destroyed || is_closed(*graph)) return Status::closed;
    if (cuGraphDestroyNode(payload.node) != CUDA_SUCCESS) return Status::driver_error;
    payload.destroyed = true;
    frame_.tell(&Observer::bound);
    frame_.tell(&GraphWitness::handle_died, bits_of(payload.node));
    mark_orphaned(*graph, payload.node);
    frame_.tell(&GraphWitness::node_destroyed, graph->id, payload.id);
    core_.loops.node_destroyed(graph->id, payload.id);
    core_.policy->destroyed(*graph, payload.node);
    return Status::ok;
  });
}

}  // namespace targets::graph_argument
