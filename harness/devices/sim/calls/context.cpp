// The driver, its one device, and contexts.
#include <algorithm>
#include <cstring>

#include "harness/devices/sim/calls/calls.h"
#include "harness/devices/sim/limits.h"

namespace harness::devices::calls {

static constexpr CUdevice kDevice = 0;
static constexpr char kDeviceName[] = "Afterlife simulated device";

CUresult Calls::cuInit(unsigned flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  sim.processes().current().initialized = true;
  return CUDA_SUCCESS;
}

CUresult Calls::cuDriverGetVersion(int* version) {
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

// ---- the device -------------------------------------------------------------------------------

CUresult Calls::cuDeviceGet(CUdevice* device, int ordinal) {
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (ordinal != kDevice) return CUDA_ERROR_INVALID_DEVICE;
  *device = kDevice;
  return CUDA_SUCCESS;
}

CUresult Calls::cuDeviceGetCount(int* count) {
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *count = 1;
  return CUDA_SUCCESS;
}

CUresult Calls::cuDeviceGetName(char* name, int bytes, CUdevice device) {
  if (device != kDevice) return CUDA_ERROR_INVALID_DEVICE;
  if (name == nullptr || bytes <= 0) return CUDA_ERROR_INVALID_VALUE;
  const std::size_t length = std::min(sizeof kDeviceName - 1, static_cast<std::size_t>(bytes) - 1);
  std::memcpy(name, kDeviceName, length);
  name[length] = '\0';
  return CUDA_SUCCESS;
}

static int attribute_value(CUdevice_attribute attribute) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
      return kMaxThreads;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
      return 64;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
      return 0x7fffffff;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
      return 65535;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
      return kMaxSharedBytes;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      return 32;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
    case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY:
    case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR:
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS:
    case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH:
    case CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT:
      return 1;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
      return kResidentThreads;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      return 8;
    default:
      return 0;  // It has nothing else.
  }
}

CUresult Calls::cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  if (value == nullptr || attribute <= 0 || attribute >= CU_DEVICE_ATTRIBUTE_MAX)
    return CUDA_ERROR_INVALID_VALUE;
  if (device != kDevice) return CUDA_ERROR_INVALID_DEVICE;
  *value = attribute_value(attribute);
  return CUDA_SUCCESS;
}

CUresult Calls::cuDeviceTotalMem_v2(size_t* bytes, CUdevice device) {
  if (bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (device != kDevice) return CUDA_ERROR_INVALID_DEVICE;
  *bytes = Memory::kBytes;
  return CUDA_SUCCESS;
}

// ---- contexts ---------------------------------------------------------------------------------

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

/// Ends the context and everything that belongs to it.
static void destroy(SimDevice& sim, Context& context) {
  sim.queues().synchronize(context);
  end_all(sim.ledger(), sim.handles().modules, context);
  end_all(sim.ledger(), sim.handles().streams, context);
  end_all(sim.ledger(), sim.handles().events, context);
  Memory& memory = sim.memory();
  for (std::uint32_t i = memory.first_alive(); i < memory.block_count(); ++i)
    if (memory.block(i).context == &context && !memory.block(i).dead) memory.retire(i);
  context.alive = false;
  sim.ledger().died(context.birth);
  if (context.primary) sim.processes().at(context.process).primary = nullptr;
  sim.faults().mend();  // Another context starts afresh.
}

CUresult Calls::cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  if (device != kDevice) return CUDA_ERROR_INVALID_DEVICE;
  if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Context*& primary = sim.processes().current().primary;
  if (primary == nullptr) primary = &make_context(sim, true);
  ++primary->reference_count;
  *context = primary->as<CUcontext>();
  return CUDA_SUCCESS;
}

CUresult Calls::cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  if (device != kDevice) return CUDA_ERROR_INVALID_DEVICE;
  Context* primary = sim.processes().current().primary;
  if (primary == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (--primary->reference_count == 0) destroy(sim, *primary);
  return CUDA_SUCCESS;
}

/// Neither the multi-process service nor a graphics API is there to share the device with.
static CUresult check_parameters(SimDevice& sim, const CUctxCreateParams* parameters) {
  if (parameters == nullptr) return CUDA_SUCCESS;
  const bool affine = parameters->execAffinityParams != nullptr;
  const bool graphics = parameters->cigParams != nullptr;
  if (affine && graphics) sim.faults().misuse("context", "created with affinity and for graphics");
  return graphics ? CUDA_ERROR_NOT_SUPPORTED
         : affine ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY
                  : CUDA_SUCCESS;
}

static bool are_valid(unsigned flags) {
  const unsigned scheduling = flags & CU_CTX_SCHED_MASK;
  return (flags & ~unsigned{CU_CTX_FLAGS_MASK}) == 0 && (scheduling & (scheduling - 1)) == 0;
}

CUresult Calls::cuCtxCreate_v4(CUcontext* context, CUctxCreateParams* parameters, unsigned flags,
                               CUdevice device) {
  if (device != kDevice) return CUDA_ERROR_INVALID_DEVICE;
  if (context == nullptr || !are_valid(flags)) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = check_parameters(sim, parameters); error != CUDA_SUCCESS) return error;
  Context& made = make_context(sim, false);
  made.flags = flags;
  sim.threads().stack().push_back(&made);
  *context = made.as<CUcontext>();
  return CUDA_SUCCESS;
}

/// Leaves the documented error when `handle` names no living context.
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

/// Null means the current one.
static CUresult context_or_current(SimDevice& sim, CUcontext handle, Context*& context) {
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

CUresult Calls::cuCtxSetLimit(CUlimit limit, size_t) {
  return limit >= 0 && limit < CU_LIMIT_MAX ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace harness::devices::calls
