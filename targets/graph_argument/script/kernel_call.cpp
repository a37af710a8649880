// SPDX-License-Identifier: Apache-2.0
#include "targets/graph_argument/script/kernel_call.h"

namespace targets::graph_argument {

using harness::Ref;

/// Fills in the addresses of a kernel's parameters. Returns their number.
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

// module.get_kernel(name): asks the driver once per kernel.
static Status get_kernel(ModuleBox& module, Work work, CUkernel& found) {
  CUkernel& known = module.kernels[harness::raw(work)];
  if (known == nullptr &&
      cuLibraryGetKernel(&known, module.library, kEntryNames[harness::raw(work)]) != CUDA_SUCCESS)
    return Status::driver_error;
  found = known;
  return Status::ok;
}

// ParamHolder: exists until the driver has copied the values. The tuple is made first: this may run
// the collector, and a finalizer, which may close a buffer or release the GIL. Callers check
// buffers, nodes and captures again afterwards.
Status begin_call(const Shared<ModuleBox>& module, Work work, KernelCall& call) {
  call.owners.arguments = module->core.runtime.heap.make(kTupleType);
  if (const Status status = get_kernel(*module, work, call.params.kern); status != Status::ok)
    return status;
  call.params.gridDimX = kBlockCount;
  call.params.blockDimX = kBlockThreads;
  call.params.gridDimY = call.params.gridDimZ = call.params.blockDimY = call.params.blockDimZ = 1;
  call.params.kernelParams = call.addresses.data();
  call.owners.module = module;
  return Status::ok;
}

Status prepare_call(const Shared<ModuleBox>& module, Work work, const Ref& first, const Ref& second,
                    KernelCall& call) {
  if (const Status status = begin_call(module, work, call); status != Status::ok) return status;
  const BufferPayload& x = first->payload<BufferPayload>();
  const BufferPayload& y = second->payload<BufferPayload>();
  if (!x.memory || !y.memory) return Status::closed;
  call.x = x.memory->address;
  call.y = y.memory->address;
  const std::size_t count = fill_addresses(work, call.addresses, call.a, call.x, call.y);
  call.things[0] = x.thing;
  call.buffers[0] = first;
  if (count > 1) call.buffers[1] = second;
  if (count > 1) call.things[1] = y.thing;
  if (work == Work::chase) return Status::ok;  // int(buffer.handle): numbers, without owners.
  call.owners.arguments->set(0u, first);
  if (count > 1) call.owners.arguments->set(1u, second);
  return Status::ok;
}

void tell_closed(Core& core, Work work, const KernelCall& call) {
  for (const Ref& buffer : call.buffers)
    if (buffer && !buffer->payload<BufferPayload>().memory)
      core.facts.tell(&Observer::took_closed, harness::Label::of(kEntryNames[harness::raw(work)]));
}

Status load_change(Frame& frame, Variable node, Variable first, Variable second,
                   std::array<Ref, 3>& loaded) {
  return frame.load_all({{node, kNodeType, loaded[0]},
                         {first, kBufferType, loaded[1]},
                         {second, kBufferType, loaded[2]}});
}

Status prepare_change(const Ref& node, const Ref& first, const Ref& second, KernelCall& call) {
  const NodePayload& payload = node->payload<NodePayload>();
  if (payload.destroyed || is_closed(*payload.graph)) return Status::closed;
  if (!takes_buffers(payload.work)) return Status::type_error;
  const Status status = prepare_call(payload.module, payload.work, first, second, call);
  if (status != Status::ok) return status;
  return payload.destroyed || is_closed(*payload.graph) ? Status::closed : Status::ok;
}

Status add_called(const Place& place, const NodeFacts& facts, const KernelCall& call, Ref& made) {
  const Status added =
      add_node(place, facts, call.owners, made,
               [&](CUgraph graph, CUgraphNode* after, std::size_t count, CUgraphNode* node) {
                 return cuGraphAddKernelNode(node, graph, after, count, &call.params);
               });
  if (added == Status::ok) tell_closed(place.graph->core, facts.work, call);
  return added;
}

}  // namespace targets::graph_argument
