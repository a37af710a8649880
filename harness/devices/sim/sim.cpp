// What the seam needs of the simulated driver: its table of functions, and the entry in devices/.
#include "harness/devices/sim/calls/calls.h"
#include "harness/devices/sim/kernels/symbolize.h"

namespace harness::devices {

namespace {

CUresult admit(CallNeeds needs) {
  SimDevice& sim = SimDevice::current();
  const Process& process = sim.process();
  if (!process.initialized) [[unlikely]]
    return CUDA_ERROR_NOT_INITIALIZED;
  const bool in_function =
      process.function_task != TaskId::none && sim.scheduler().current() == process.function_task;
  if (in_function || sim.in_function) [[unlikely]] {
    sim.misuse("host function", "called CUDA");
    return CUDA_ERROR_NOT_PERMITTED;
  }
  if (sim.graphs.in_destructor()) [[unlikely]] {
    sim.misuse("user object destructor", "called CUDA");
    return CUDA_ERROR_NOT_PERMITTED;
  }
  sim.look_again();
  if (needs != CallNeeds::context) return CUDA_SUCCESS;
  if (sim.broken != CUDA_SUCCESS) [[unlikely]]
    return sim.broken;
  const Context* context = sim.current_context();
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  return context->alive ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

// Streams that legacy work waits for stay told apart: only what names stream 0 touches the whole
// device.
Resource resource(CUstream handle) {
  SimDevice& sim = SimDevice::current();
  if (handle == nullptr || handle == CU_STREAM_LEGACY) return kDeviceResource;
  if (handle == CU_STREAM_PER_THREAD) {
    Context* context = sim.current_context();
    return context != nullptr && context->alive ? sim.per_thread_stream(*context).resource
                                                : kDeviceResource;
  }
  const Stream* stream = sim.streams.find(handle);
  return stream != nullptr ? stream->resource : kDeviceResource;
}

constexpr DriverTable kTable{
#define CUDA_ROW(name, base, since, flavour, needs, turn, failure, parameters, arguments) \
  calls::name,
#include "harness/cuda.def"
    admit,
    resource,
};

}  // namespace

const DriverTable& SimDevice::table() const { return kTable; }

extern const DeviceInfo sim;
const DeviceInfo sim{"sim", "the simulated driver; needs no GPU",
                     []() -> Device* { return new SimDevice; }, symbolize};

}  // namespace harness::devices
