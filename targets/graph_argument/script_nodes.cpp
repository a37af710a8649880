// Definitions and their nodes. A node goes in three steps: the policy prepares, CUDA adds, the
// policy commits. All three happen in one C call, under the GIL: a CUDA graph is not thread safe.
#include <algorithm>

#include "targets/graph_argument/script.h"

namespace targets::graph_argument {

using harness::Ref;

// ---- definitions --------------------------------------------------------------------------------

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
    made = wrap_graph(Shared<GraphBox>::make(core_.arena, core_, graph, core_.ghost.create_graph(),
                                             Shared<GraphBox>(), nullptr));
    return Status::ok;
  });
  if (status == Status::ok) store(into, std::move(made));
  return status;
}

Status Script::load_definition(Variable variable, Ref& loaded) {
  return load(variable, kDefinitionType, loaded);
}

bool Script::is_closed(const GraphBox& graph) {
  if (!graph.orphaned) return false;
  core_.ghost.reach(Window::r10);
  if (policy_.sets_tombstones()) return true;
  core_.ghost.stale_handle_used(bits_of(graph.graph), "embedded graph");
  return false;
}

static Shared<GraphBox> graph_of(const Ref& definition) {
  return definition->payload<DefinitionPayload>().graph;
}

Status Script::clone(Variable into, Variable variable) {
  const Op op(core_);
  Ref definition;
  if (const Status status = load_definition(variable, definition); status != Status::ok)
    return status;
  Ref made;
  const Status status = c_call("clone", [&] {
    const Shared<GraphBox> from = graph_of(definition);
    if (is_closed(*from)) return Status::closed;
    CUgraph graph = nullptr;
    if (cuGraphClone(&graph, from->graph) != CUDA_SUCCESS) return Status::driver_error;
    made = wrap_graph(Shared<GraphBox>::make(
        core_.arena, core_, graph, core_.ghost.clone(*from->ghost), Shared<GraphBox>(), nullptr));
    return Status::ok;
  });
  if (status == Status::ok) store(into, std::move(made));
  return status;
}

Status Script::set_attribute(Variable buffer_variable, Variable variable) {
  const Op op(core_);
  Ref buffer;
  Ref definition;
  if (const Status status = load(buffer_variable, kBufferType, buffer); status != Status::ok)
    return status;
  if (const Status status = load_definition(variable, definition); status != Status::ok)
    return status;
  step("STORE_ATTR");
  core_.ghost.set_attribute(*buffer->payload<BufferPayload>().thing, *graph_of(definition)->ghost);
  buffer->set("graph", definition);
  return Status::ok;
}

// ---- adding -------------------------------------------------------------------------------------

template <class Call>
Status Script::add_node(const Ref& definition, GhostNode ghost, const Owners& owners, Ref& made,
                        Call call) {
  const Shared<GraphBox> graph = graph_of(definition);
  if (is_closed(*graph)) return Status::closed;
  Keeping* prepared = nullptr;
  if (const Status status = policy_.prepare(*graph, owners, prepared); status != Status::ok) {
    core_.ghost.reach(Window::r16);
    return status;
  }
  CUgraphNode node = nullptr;
  const std::size_t count = graph->last != nullptr ? 1 : 0;
  if (call(graph->graph, &graph->last, count, &node) != CUDA_SUCCESS) {
    core_.ghost.reach(Window::r16);
    policy_.roll_back(*graph, prepared);
    return Status::driver_error;
  }
  graph->last = node;
  core_.ghost.handle_born(bits_of(node));
  const std::uint32_t serial = core_.ghost.add(*graph->ghost, ghost);
  const Status status = policy_.commit(*graph, *definition, node, owners, prepared);
  if (status != Status::ok) {
    core_.ghost.reach(Window::r16);
    core_.ghost.find(*graph->ghost, serial)->unowned = true;
    return status;
  }
  made = make(kNodeType, NodePayload{graph, node, serial, ghost.work, owners.module});
  return Status::ok;
}

/// What each kernel takes.
static std::size_t fill_addresses(Work work, std::array<void*, 3>& addresses, float& a,
                                  CUdeviceptr& x, CUdeviceptr& y) {
  switch (work) {
    case Work::saxpy:
      addresses = {&a, &x, &y};
      return 3;
    case Work::add_one:
    case Work::produce:
    case Work::captured:
      addresses = {&x, nullptr, nullptr};
      return 1;
    default:
      addresses = {&x, &y, nullptr};
      return 2;
  }
}

// module.get_kernel(name): asked for once.
static Status get_kernel(ModuleBox& module, Work work, CUkernel& found) {
  CUkernel& known = module.kernels[harness::raw(work)];
  if (known == nullptr &&
      cuLibraryGetKernel(&known, module.library, kEntryNames[harness::raw(work)]) != CUDA_SUCCESS)
    return Status::driver_error;
  found = known;
  return Status::ok;
}

// ParamHolder: lives as long as the call that the driver copies the values in. The tuple comes
// first: making it may run the collector, and that a finalizer, which may close a buffer, and give
// up the GIL. What callers know of a node or a capture they ask again afterwards.
Status Script::prepare_call(const Shared<ModuleBox>& module, Work work, const Ref& first,
                            const Ref& second, KernelCall& call) {
  call.owners.arguments = core_.runtime.heap.make(kTupleType);
  const BufferPayload& x = first->payload<BufferPayload>();
  const BufferPayload& y = second->payload<BufferPayload>();
  if (!x.memory || !y.memory) return Status::closed;
  if (const Status status = get_kernel(*module, work, call.params.kern); status != Status::ok)
    return status;
  call.x = x.memory->address;
  call.y = y.memory->address;
  const std::size_t count = fill_addresses(work, call.addresses, call.a, call.x, call.y);
  call.things = {x.thing, count > 1 ? y.thing : nullptr};
  call.params.gridDimX = kBlockCount;
  call.params.blockDimX = kBlockThreads;
  call.params.gridDimY = call.params.gridDimZ = call.params.blockDimY = call.params.blockDimZ = 1;
  call.params.kernelParams = call.addresses.data();
  call.owners.module = module;
  if (work == Work::chase) return Status::ok;  // int(buffer.handle): numbers, and no owners.
  call.owners.arguments->set(0u, first);
  if (count > 1) call.owners.arguments->set(1u, second);
  return Status::ok;
}

Status Script::add_kernel_node(const Ref& definition, const Shared<ModuleBox>& module, Work work,
                               const Ref& first, const Ref& second, Ref& made) {
  KernelCall call;
  if (const Status status = prepare_call(module, work, first, second, call); status != Status::ok)
    return status;
  const GhostNode ghost{.work = work, .things = call.things, .helper = module->thing};
  return add_node(definition, ghost, call.owners, made,
                  [&](CUgraph graph, CUgraphNode* after, std::size_t count, CUgraphNode* node) {
                    return cuGraphAddKernelNode(node, graph, after, count, &call.params);
                  });
}

static Work work_of(Kernel kernel) {
  static constexpr std::array<Work, kKernelCount> kWork{Work::add_one, Work::saxpy, Work::block_sum,
                                                        Work::consume, Work::chase};
  return kWork[harness::raw(kernel)];
}

Status Script::add_kernel(Variable into, Variable variable, Variable module_variable, Kernel kernel,
                          Variable first_variable, Variable second_variable) {
  const Op op(core_);
  Ref definition, module, first, second, made;
  Status status = load_definition(variable, definition);
  if (status == Status::ok) status = load(module_variable, kModuleType, module);
  if (status == Status::ok) status = load(first_variable, kBufferType, first);
  if (status == Status::ok) status = load(second_variable, kBufferType, second);
  if (status != Status::ok) return status;
  const Shared<ModuleBox> box = module->payload<ModulePayload>().module;
  status = c_call("GN_launch", [&] {
    if (kernel == Kernel::produce_consume)
      if (const Status produced =
              add_kernel_node(definition, box, Work::produce, first, second, made);
          produced != Status::ok)
        return produced;
    return add_kernel_node(definition, box, work_of(kernel), first, second, made);
  });
  if (status == Status::ok) store(into, std::move(made));
  return status;
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

Status Script::add_copy_or_set(Variable into, Variable variable, Variable target_variable,
                               Variable source_variable, std::int32_t value) {
  const Op op(core_);
  Ref definition, target, source, made;
  Status status = load_definition(variable, definition);
  if (status == Status::ok) status = load(target_variable, kBufferType, target);
  if (status == Status::ok) status = load(source_variable, kBufferType, source);
  if (status != Status::ok) return status;
  const bool copies = target_variable != source_variable;
  status = c_call(copies ? harness::Label("GN_memcpy") : harness::Label("GN_memset"), [&] {
    Owners owners;
    owners.operands = core_.runtime.heap.make(kTupleType);  // First: see prepare_call().
    const BufferPayload& to = target->payload<BufferPayload>();
    const BufferPayload& from = source->payload<BufferPayload>();
    if (!to.memory || !from.memory) return Status::closed;
    const CUdeviceptr out = to.memory->address + offsetof(Block, out);
    GhostNode ghost{.work = copies ? Work::copy : Work::set, .things = {to.thing}, .value = value};
    owners.operands->set(0u, target);
    owners.memory[0] = to.memory;
    if (!copies)
      return add_node(definition, ghost, owners, made,
                      [&](CUgraph graph, CUgraphNode* after, std::size_t count, CUgraphNode* node) {
                        const CUDA_MEMSET_NODE_PARAMS params{
                            out, 0, static_cast<unsigned>(value), 4, kBlockWords, 1};
                        return cuGraphAddMemsetNode(node, graph, after, count, &params,
                                                    core_.context);
                      });
    ghost.things[1] = from.thing;
    owners.operands->set(1u, source);
    owners.memory[1] = from.memory;
    const CUDA_MEMCPY3D copy = copy_of(out, from.memory->address + offsetof(Block, in));
    return add_node(definition, ghost, owners, made,
                    [&](CUgraph graph, CUgraphNode* after, std::size_t count, CUgraphNode* node) {
                      return cuGraphAddMemcpyNode(node, graph, after, count, &copy, core_.context);
                    });
  });
  if (status == Status::ok) store(into, std::move(made));
  return status;
}

Status Script::add_memcpy(Variable into, Variable definition, Variable target, Variable source) {
  if (target == source) return Status::type_error;  // Overlapping: ranges of one buffer.
  return add_copy_or_set(into, definition, target, source, 0);
}

Status Script::add_memset(Variable into, Variable definition, Variable target, std::int32_t value) {
  return add_copy_or_set(into, definition, target, target, value);
}

// ---- events, functions, children ----------------------------------------------------------------

Status Script::add_event_node(Variable into, Variable variable, Variable event_variable,
                              Work work) {
  const Op op(core_);
  Ref definition, event, made;
  Status status = load_definition(variable, definition);
  if (status == Status::ok) status = load(event_variable, kEventType, event);
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
  if (status == Status::ok) store(into, std::move(made));
  return status;
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
  if (const Status status = load_definition(variable, definition); status != Status::ok)
    return status;
  const Status status = c_call("GN_callback", [&] {
    Owners owners;
    owners.function = core_.runtime.heap.make(kFunctionType);
    auto* host_call = core_.arena.make<HostCall>(core_, owners.function);
    const CUDA_HOST_NODE_PARAMS params{call_function, host_call};
    Thing* thing = core_.ghost.make(ThingKind::function, 0);
    thing->gone = true;  // The script keeps no reference.
    return add_node(definition, {.work = Work::callback, .helper = thing}, owners, made,
                    [&](CUgraph graph, CUgraphNode* after, std::size_t count, CUgraphNode* node) {
                      return cuGraphAddHostNode(node, graph, after, count, &params);
                    });
  });
  if (status == Status::ok) store(into, std::move(made));
  return status;
}

Status Script::add_child(Variable into, Variable variable, Variable child_variable) {
  const Op op(core_);
  Ref definition, child, made;
  Status status = load_definition(variable, definition);
  if (status == Status::ok) status = load_definition(child_variable, child);
  if (status != Status::ok) return status;
  status = c_call("GN_embed", [&] {
    const Shared<GraphBox> graph = graph_of(definition);
    const Shared<GraphBox> embedded = graph_of(child);
    if (is_closed(*graph) || is_closed(*embedded)) return Status::closed;
    if (graph == embedded) return Status::type_error;
    GhostGraph* copy = core_.ghost.clone(*embedded->ghost, graph->ghost);
    const Status added =
        add_node(definition, {.work = Work::child, .child = copy}, {}, made,
                 [&](CUgraph into_graph, CUgraphNode* after, std::size_t count, CUgraphNode* node) {
                   return cuGraphAddChildGraphNode(node, into_graph, after, count, embedded->graph);
                 });
    auto& ever = graph->ghost->ever;
    ever.insert(ever.end(), copy->ever.begin(), copy->ever.end());
    return added;
  });
  if (status == Status::ok) store(into, std::move(made));
  return status;
}

// node.child_graph. The handle that comes back belongs to the node.
Status Script::get_child(Variable into, Variable variable) {
  const Op op(core_);
  Ref node, made;
  if (const Status status = load(variable, kNodeType, node); status != Status::ok) return status;
  const Status status = c_call("child_graph", [&] {
    const NodePayload& payload = node->payload<NodePayload>();
    if (payload.destroyed || is_closed(*payload.graph)) return Status::closed;
    const GhostNode* ghost = core_.ghost.find(*payload.graph->ghost, payload.serial);
    if (ghost == nullptr || ghost->child == nullptr) return Status::type_error;
    CUgraph graph = nullptr;
    if (cuGraphChildGraphNodeGetGraph(payload.node, &graph) != CUDA_SUCCESS)
      return Status::driver_error;
    auto box = Shared<GraphBox>::make(core_.arena, core_, graph, ghost->child, payload.graph,
                                      payload.node);
    payload.graph->children.push_back(box.get());
    made = wrap_graph(std::move(box));
    return Status::ok;
  });
  if (status == Status::ok) store(into, std::move(made));
  return status;
}

// ---- changing -----------------------------------------------------------------------------------

Status Script::set_params(Variable variable, Variable first_variable, Variable second_variable) {
  const Op op(core_);
  Ref node, first, second;
  Status status = load(variable, kNodeType, node);
  if (status == Status::ok) status = load(first_variable, kBufferType, first);
  if (status == Status::ok) status = load(second_variable, kBufferType, second);
  if (status != Status::ok) return status;
  return c_call("set_params", [&] {
    const NodePayload payload = node->payload<NodePayload>();
    GraphBox& graph = *payload.graph;
    if (payload.destroyed || is_closed(graph)) return Status::closed;
    if (!is_kernel(payload.work)) return Status::type_error;
    KernelCall call;
    Status changed = prepare_call(payload.module, payload.work, first, second, call);
    if (changed != Status::ok) return changed;
    if (node->payload<NodePayload>().destroyed || is_closed(graph)) return Status::closed;
    Keeping* prepared = nullptr;
    changed = policy_.prepare(graph, call.owners, prepared);
    if (changed != Status::ok) return changed;
    if (cuGraphKernelNodeSetParams(payload.node, &call.params) != CUDA_SUCCESS) {
      policy_.roll_back(graph, prepared);
      return Status::driver_error;
    }
    core_.ghost.set_params(*graph.ghost, payload.serial, call.things);
    const Ref definition = wrap_graph(payload.graph);
    return policy_.commit(graph, *definition, payload.node, call.owners, prepared);
  });
}

/// The boxes of what went with a node say so from now on.
static void bury(GraphBox& graph, CUgraphNode owner) {
  for (GraphBox* child : graph.children) {
    if (owner != nullptr && child->owner != owner) continue;
    child->orphaned = true;
    child->core.ghost.handle_died(bits_of(child->graph));
    bury(*child, nullptr);
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
    core_.ghost.handle_died(bits_of(payload.node));
    if (graph->last == payload.node) graph->last = nullptr;
    bury(*graph, payload.node);
    core_.ghost.destroy_node(*graph->ghost, payload.serial);
    policy_.destroyed(*graph, payload.node);
    return Status::ok;
  });
}

}  // namespace targets::graph_argument
