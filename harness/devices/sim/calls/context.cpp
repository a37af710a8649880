// SPDX-License-Identifier: Apache-2.0
// Contexts: created, destroyed, made current, waited for. Their settings are in
// context_settings.cpp.
#include <utility>

#include "harness/devices/sim/calls/calls.h"

namespace harness::devices::calls {

static constexpr CUdevice kDevice = 0;

static Context& make_context(SimDevice& sim, bool primary) {
  Context& context = sim.handles().contexts.add();
  context.birth = sim.ledger().born("context", context.handle, 0);
  context.primary = primary;
  context.legacy = &sim.streams().add_legacy(context);
  return context;
}

template <class Table>
static void end_all(Ledger& ledger, Table& table, const Context& context) {
  for (std::size_t i = table.first_alive(); i < table.size(); ++i) {
    auto& object = table[i];
    if (object.context != &context || !object.alive) continue;
    object.alive = false;
    if (object.birth != BirthId::none) ledger.died(object.birth);
  }
}

/// Arrays end with their memory, since an array and its memory have one birth id.
static void end_arrays(SimDevice& sim, const Context& context) {
  auto& arrays = sim.handles().arrays;
  for (std::size_t i = arrays.first_alive(); i < arrays.size(); ++i)
    if (arrays[i].context == &context) arrays[i].alive = false;
  auto& mipmapped = sim.handles().mipmapped_arrays;
  for (std::size_t i = mipmapped.first_alive(); i < mipmapped.size(); ++i)
    if (mipmapped[i].context == &context) mipmapped[i].alive = false;
}

/// Destroys the context and everything that belongs to it.
static void destroy(SimDevice& sim, Context& context) {
  sim.queues().synchronize(context);
  end_all(sim.ledger(), sim.handles().modules, context);
  end_all(sim.ledger(), sim.handles().streams, context);
  end_all(sim.ledger(), sim.handles().events, context);
  end_all(sim.ledger(), sim.handles().textures, context);
  end_all(sim.ledger(), sim.handles().surfaces, context);
  end_arrays(sim, context);
  Memory& memory = sim.memory();
  for (std::uint32_t i = memory.first_alive(); i < memory.block_count(); ++i)
    if (memory.block(i).context == &context && !memory.block(i).dead) memory.retire(i);
  if (sim.processes().sharing().is_on()) sim.processes().sharing().context_ended();
  context.alive = false;
  sim.ledger().died(context.birth);
  if (context.primary) sim.processes().at(context.process).primary = nullptr;
  sim.faults().mend();  // A new context begins without the error.
}

CUresult Calls::cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  if (device != kDevice) return CUDA_ERROR_INVALID_DEVICE;
  if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Process& process = sim.processes().current();
  Context*& primary = process.primary;
  if (primary == nullptr) {
    primary = &make_context(sim, true);
    primary->flags = process.primary_flags;
    primary->reference_count = std::exchange(process.primary_owed, 0);
  }
  ++primary->reference_count;
  *context = primary->as<CUcontext>();
  return CUDA_SUCCESS;
}

CUresult Calls::cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  if (device != kDevice) return CUDA_ERROR_INVALID_DEVICE;
  Process& process = sim.processes().current();
  if (process.primary == nullptr && process.primary_owed == 0) return CUDA_ERROR_INVALID_CONTEXT;
  if (process.primary == nullptr)
    --process.primary_owed;
  else if (--process.primary->reference_count == 0)
    destroy(sim, *process.primary);
  return CUDA_SUCCESS;
}

/// Tasks that have retained the context may still release it, because a reset is not a release.
CUresult Calls::cuDevicePrimaryCtxReset_v2(CUdevice device) {
  if (device != kDevice) return CUDA_ERROR_INVALID_DEVICE;
  Process& process = sim.processes().current();
  if (process.primary == nullptr) return CUDA_SUCCESS;
  process.primary_owed = process.primary->reference_count;
  destroy(sim, *process.primary);
  return CUDA_SUCCESS;
}

/// Refuses affinity, which needs the multi-process service, and sharing with a graphics API.
static CUresult check_parameters(SimDevice& sim, const CUctxCreateParams* parameters) {
  if (parameters == nullptr) return CUDA_SUCCESS;
  const bool affine = parameters->execAffinityParams != nullptr;
  const bool graphics = parameters->cigParams != nullptr;
  if (affine && graphics) sim.faults().misuse("context", "created with affinity and for graphics");
  return graphics ? CUDA_ERROR_NOT_SUPPORTED
         : affine ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY
                  : CUDA_SUCCESS;
}

bool are_context_flags(unsigned flags) {
  const unsigned scheduling = flags & CU_CTX_SCHED_MASK;
  return (flags & ~unsigned{CU_CTX_FLAGS_MASK}) == 0 && (scheduling & (scheduling - 1)) == 0;
}

CUresult Calls::cuCtxCreate_v4(CUcontext* context, CUctxCreateParams* parameters, unsigned flags,
                               CUdevice device) {
  if (device != kDevice) return CUDA_ERROR_INVALID_DEVICE;
  if (context == nullptr || !are_context_flags(flags)) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = check_parameters(sim, parameters); error != CUDA_SUCCESS) return error;
  Context& made = make_context(sim, false);
  made.flags = flags;
  made.usage_count = 1;
  sim.threads().stack().push_back(&made);
  *context = made.as<CUcontext>();
  return CUDA_SUCCESS;
}

CUresult Calls::cuCtxCreate_v3(CUcontext* context, CUexecAffinityParam* affinities, int count,
                               unsigned flags, CUdevice device) {
  if (count > 0)  // A negative count means none.
    return affinities == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
  return cuCtxCreate_v4(context, nullptr, flags, device);
}

CUresult Calls::cuCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice device) {
  return cuCtxCreate_v4(context, nullptr, flags, device);
}

/// Returns the documented error if `handle` does not name an existing context.
static CUresult find_context(SimDevice& sim, CUcontext handle, Context*& context) {
  context = sim.find(sim.handles().contexts, handle, "context");
  if (context != nullptr) return CUDA_SUCCESS;
  return sim.handles().contexts.find(handle) != nullptr ? CUDA_ERROR_CONTEXT_IS_DESTROYED
                                                        : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult Calls::cuCtxDestroy_v2(CUcontext handle) {
  Context* context = sim.handles().contexts.find(handle);
  if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!context->alive) {
    sim.ledger().double_free(context->birth);
    return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  }
  if (context->primary) return CUDA_ERROR_INVALID_CONTEXT;
  destroy(sim, *context);
  std::vector<Context*>& stack = sim.threads().stack();
  if (!stack.empty() && stack.back() == context) stack.pop_back();
  return CUDA_SUCCESS;
}

CUresult Calls::cuCtxAttach(CUcontext* context, unsigned flags) {
  if (context == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  ++sim.threads().context()->usage_count;
  *context = sim.threads().context()->as<CUcontext>();
  return CUDA_SUCCESS;
}

/// The last detach of a context destroys it, unless it is the primary context, which has its own
/// reference count.
CUresult Calls::cuCtxDetach(CUcontext handle) {
  Context& current = *sim.threads().context();
  if (handle != current.as<CUcontext>() || current.usage_count == 0)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (--current.usage_count > 0 || current.primary) return CUDA_SUCCESS;
  return cuCtxDestroy_v2(handle);
}

CUresult Calls::cuCtxSetCurrent(CUcontext handle) {
  std::vector<Context*>& stack = sim.threads().stack();
  Context* context = nullptr;
  if (handle != nullptr)
    if (const CUresult error = find_context(sim, handle, context); error != CUDA_SUCCESS)
      return error;
  if (!stack.empty()) stack.pop_back();
  if (context != nullptr) stack.push_back(context);
  return CUDA_SUCCESS;
}

CUresult Calls::cuCtxGetCurrent(CUcontext* context) {
  if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Context* current = sim.threads().context();
  *context = current != nullptr ? current->as<CUcontext>() : nullptr;
  return CUDA_SUCCESS;
}

CUresult Calls::cuCtxPushCurrent_v2(CUcontext handle) {
  Context* context = nullptr;
  if (const CUresult error = find_context(sim, handle, context); error != CUDA_SUCCESS)
    return error;
  sim.threads().stack().push_back(context);
  return CUDA_SUCCESS;
}

CUresult Calls::cuCtxPopCurrent_v2(CUcontext* context) {
  std::vector<Context*>& stack = sim.threads().stack();
  if (stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  if (context != nullptr) *context = stack.back()->as<CUcontext>();
  stack.pop_back();
  return CUDA_SUCCESS;
}

CUresult Calls::cuCtxGetDevice(CUdevice* device) {
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *device = kDevice;
  return CUDA_SUCCESS;
}

CUresult context_or_current(SimDevice& sim, CUcontext handle, Context*& context) {
  if (handle != nullptr) return find_context(sim, handle, context);
  context = sim.threads().context();
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  return context->alive ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

CUresult Calls::cuCtxGetDevice_v2(CUdevice* device, CUcontext handle) {
  Context* context = nullptr;
  const CUresult error = context_or_current(sim, handle, context);
  return error != CUDA_SUCCESS ? error : cuCtxGetDevice(device);
}

CUresult Calls::cuCtxSynchronize() {
  if (const CUresult error = sim.captures().admit_all(*sim.threads().context());
      error != CUDA_SUCCESS)
    return error;
  sim.queues().synchronize(*sim.threads().context());
  sim.graphs().user_objects().wait_a_while();
  sim.pools().shrink();
  return sim.faults().broken();
}

CUresult Calls::cuCtxSynchronize_v2(CUcontext handle) {
  Context* context = nullptr;
  if (const CUresult error = context_or_current(sim, handle, context); error != CUDA_SUCCESS)
    return error;
  if (const CUresult error = sim.captures().admit_all(*context); error != CUDA_SUCCESS)
    return error;
  sim.queues().synchronize(*context);
  sim.graphs().user_objects().wait_a_while();
  sim.pools().shrink();
  return sim.faults().broken();
}

}  // namespace harness::devices::calls
