// Nodes that copy, set, record, wait and call back.
#include "targets/graph_argument/script_add_node.h"

namespace targets::graph_argument {

using harness::Ref;

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

/// How the steps of both are called, and what the nodes do.
struct CopyOrSet {
  harness::Label step;
  Work work;
};
static constexpr std::array<CopyOrSet, 2> kCopyOrSet{
    {{"GN_memset", Work::set}, {"GN_memcpy", Work::copy}}};

Status Script::add_copy_or_set(Variable into, Variable variable, Variable target_variable,
                               Variable source_variable, std::int32_t value) {
  const Op op(core_);
  Ref definition, target, source, made;
  Status status = load_all({{variable, kDefinitionType, definition},
                            {target_variable, kBufferType, target},
                            {source_variable, kBufferType, source}});
  if (status != Status::ok) return status;
  const bool copies = target_variable != source_variable;
  status = c_call(kCopyOrSet[copies].step, [&] {
    Owners owners;
    owners.operands = core_.runtime.heap.make(kTupleType);  // First: see prepare_call().
    const BufferPayload& to = target->payload<BufferPayload>();
    const BufferPayload& from = source->payload<BufferPayload>();
    if (!to.memory || !from.memory) return Status::closed;
    const CUdeviceptr out = to.memory->address + offsetof(Block, out);
    NodeFacts facts{.work = kCopyOrSet[copies].work, .things = {to.thing}};
    owners.operands->set(0u, target);
    owners.memory[0] = to.memory;
    if (!copies)
      return add_node(definition, facts, owners, made,
                      [&](CUgraph graph, CUgraphNode* after, std::size_t count, CUgraphNode* node) {
                        const CUDA_MEMSET_NODE_PARAMS params{
                            out, 0, static_cast<unsigned>(value), 4, kBlockWords, 1};
                        return cuGraphAddMemsetNode(node, graph, after, count, &params,
                                                    core_.context);
                      });
    facts.things[1] = from.thing;
    owners.operands->set(1u, source);
    owners.memory[1] = from.memory;
    const CUDA_MEMCPY3D copy = copy_of(out, from.memory->address + offsetof(Block, in));
    return add_node(definition, facts, owners, made,
                    [&](CUgraph graph, CUgraphNode* after, std::size_t count, CUgraphNode* node) {
                      return cuGraphAddMemcpyNode(node, graph, after, count, &copy, core_.context);
                    });
  });
  return keep(into, status, std::move(made));
}

Status Script::add_memcpy(Variable into, Variable definition, Variable target, Variable source) {
  if (target == source) return Status::type_error;  // Overlapping: ranges of one buffer.
  return add_copy_or_set(into, definition, target, source, 0);
}

Status Script::add_memset(Variable into, Variable definition, Variable target, std::int32_t value) {
  return add_copy_or_set(into, definition, target, target, value);
}

// ---- events and functions -----------------------------------------------------------------------

Status Script::add_event_node(Variable into, Variable variable, Variable event_variable,
                              Work work) {
  const Op op(core_);
  Ref definition, event, made;
  Status status =
      load_all({{variable, kDefinitionType, definition}, {event_variable, kEventType, event}});
  if (status != Status::ok) return status;
  status = c_call("GN_event", [&] {
    const EventPayload& payload = event->payload<EventPayload>();
    if (!payload.event) return Status::closed;
    Owners owners;
    owners.event = payload.event;
    const CUevent handle = payload.event->event;
    return add_node(definition, {.work = work, .helper = payload.thing}, owners, made,
                    [&](CUgraph graph, CUgraphNode* after, std::size_t count, CUgraphNode* node) {
                      return work == Work::record
                                 ? cuGraphAddEventRecordNode(node, graph, after, count, handle)
                                 : cuGraphAddEventWaitNode(node, graph, after, count, handle);
                    });
  });
  return keep(into, status, std::move(made));
}

Status Script::add_record(Variable into, Variable definition, Variable event) {
  return add_event_node(into, definition, event, Work::record);
}

Status Script::add_wait(Variable into, Variable definition, Variable event) {
  return add_event_node(into, definition, event, Work::wait);
}

/// PyObject* as CUDA keeps it: nobody counts it but what is attached to the graph.
struct HostCall {
  Core& core;
  harness::BorrowedRef function;
};

// What the function makes is an allocation: the collector may run, on CUDA's thread.
static void call_function(void* data) {
  const HostCall& call = *static_cast<const HostCall*>(data);
  const CallbackScope callback(call.core);
  const CallbackAttach attach(call.core);
  const Ref called = call.function.own();
  call.core.interpreter.step("CALL");
  const Ref made = call.core.runtime.heap.make(kListType);
}

Status Script::add_callback(Variable into, Variable variable) {
  const Op op(core_);
  Ref definition, made;
  if (const Status status = load(variable, kDefinitionType, definition); status != Status::ok)
    return status;
  const Status status = c_call("GN_callback", [&] {
    Owners owners;
    owners.function = core_.runtime.heap.make(kFunctionType);
    auto* host_call = core_.arena.make<HostCall>(core_, owners.function);
    const CUDA_HOST_NODE_PARAMS params{call_function, host_call};
    const ThingId thing = core_.facts.make_thing(ThingKind::function);
    return add_node(definition, {.work = Work::callback, .helper = thing}, owners, made,
                    [&](CUgraph graph, CUgraphNode* after, std::size_t count, CUgraphNode* node) {
                      return cuGraphAddHostNode(node, graph, after, count, &params);
                    });
  });
  return keep(into, status, std::move(made));
}

}  // namespace targets::graph_argument
