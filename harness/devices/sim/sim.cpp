// SPDX-License-Identifier: Apache-2.0
// The entries of the simulated driver: the table of functions, the functions that kernels call, and
// the entry in the list of devices.
#include <algorithm>

#include "harness/devices/sim/calls/calls.h"
#include "harness/devices/sim/kernels/symbolize.h"
#include "harness/devices/sim/textures/texture_unit.h"

namespace harness::devices {

namespace {

/// Reports a CUDA call in a callback, and returns its error.
[[gnu::cold]] CUresult refuse(SimDevice& sim, Callback caller) {
  if (caller == Callback::host_function) sim.faults().misuse("host function", "called CUDA");
  if (caller == Callback::destructor) sim.faults().misuse("user object destructor", "called CUDA");
  return CUDA_ERROR_NOT_PERMITTED;
}

CUresult admit(SimDevice& sim, CallNeeds needs) {
  Process& process = sim.processes().current();
  if (!process.initialized) [[unlikely]]
    return CUDA_ERROR_NOT_INITIALIZED;
  const auto [callback, context] = sim.threads().caller();
  if (callback != Callback::none) [[unlikely]]
    return refuse(sim, callback);
  process.lock.pass(sim.scheduler());
  sim.queues().look_again();
  if (needs != CallNeeds::context) return CUDA_SUCCESS;
  if (sim.faults().broken() != CUDA_SUCCESS) [[unlikely]]
    return sim.faults().broken();
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  return context->alive ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

/// Called before a call returns `status`, to call the destructors that its thread must call.
CUresult left(SimDevice& sim, CUresult status) {
  UserObjects& objects = sim.graphs().user_objects();
  if (objects.owes()) [[unlikely]]
    objects.destroy_owed();
  return status;
}

// Returns the resource that a call on the stream touches. Only calls on the default stream touch
// the whole device, even though the default stream waits for other streams.
Resource resource(SimDevice& sim, CUstream handle) {
  if (handle == nullptr || handle == CU_STREAM_LEGACY) return kDeviceResource;
  if (handle == CU_STREAM_PER_THREAD) {
    Context* context = sim.threads().context();
    return context != nullptr && context->alive ? sim.threads().stream(*context).resource
                                                : kDeviceResource;
  }
  const Stream* stream = sim.handles().streams.find(handle);
  return stream != nullptr ? stream->resource : kDeviceResource;
}

constexpr DriverTable kTable{
#define CUDA_ROW(name, base, since, flavour, needs, turn, failure, parameters, arguments) \
  [] parameters {                                                                         \
    SimDevice& sim = SimDevice::current();                                                \
    return left(sim, calls::Calls{sim}.name arguments);                                   \
  },
#include "harness/driver/cuda/cuda.def"
    [](CallNeeds needs) { return admit(SimDevice::current(), needs); },
    [](CUstream handle) { return resource(SimDevice::current(), handle); },
    [](CUstream stream, const HostWorkLaunch& given) {
      SimDevice& sim = SimDevice::current();
      return left(sim, calls::launch_host_work(sim, stream, given));
    },
};

}  // namespace

const DriverTable& SimDevice::table() const { return kTable; }

extern const DeviceInfo sim;
const DeviceInfo sim{"sim", "the simulated driver; needs no GPU",
                     []() -> Device* { return new SimDevice; }, symbolize};

}  // namespace harness::devices

/// Implements cudaGraphSetConditional(), which kernels call.
extern "C" void afterlife_set_conditional(std::uint64_t handle, std::uint32_t value) {
  using harness::devices::SimDevice;
  SimDevice& sim = SimDevice::current();
  if (harness::devices::Conditional* found = sim.graphs().conditions().find(handle)) {
    found->value = value;
    found->is_set = true;
  } else {
    sim.faults().misuse("conditional handle", "not a handle that the driver gave out");
  }
}

// ---- allocations of kernels ---------------------------------------------------------------------

#define AFTERLIFE_CODE reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

extern "C" {

std::uint64_t afterlife_malloc(std::uint64_t bytes) {
  return harness::devices::SimDevice::current().steps().heap().allocate(bytes);
}

void afterlife_free(std::uint64_t address) {
  harness::devices::SimDevice::current().steps().heap().free(address, AFTERLIFE_CODE);
}

}  // extern "C"

// ---- textures and surfaces, as kernels use them ------------------------------------------------

static harness::devices::TextureUnit texture_unit() {
  return harness::devices::TextureUnit(harness::devices::SimDevice::current());
}

extern "C" {

void afterlife_fetch_texture(const harness::KernelFetch* asked, std::uint32_t* words) {
  const harness::devices::TexelWords found = texture_unit().fetch(*asked, AFTERLIFE_CODE);
  std::copy(found.begin(), found.end(), words);
}

void afterlife_load_surface(const harness::KernelSurfaceAccess* asked, void* bytes) {
  texture_unit().load(*asked, static_cast<std::byte*>(bytes), AFTERLIFE_CODE);
}

void afterlife_store_surface(const harness::KernelSurfaceAccess* asked, const void* bytes) {
  texture_unit().store(*asked, static_cast<const std::byte*>(bytes), AFTERLIFE_CODE);
}

void afterlife_store_texel(const harness::KernelSurfaceAccess* asked,
                           const std::uint32_t* channels) {
  texture_unit().store_texel(*asked, channels, AFTERLIFE_CODE);
}

void afterlife_reduce_surface(const harness::KernelSurfaceAccess* asked, harness::AtomicOp op,
                              std::uint64_t value) {
  texture_unit().reduce(*asked, op, value, AFTERLIFE_CODE);
}

std::uint32_t afterlife_query_texels(std::uint64_t handle, harness::KernelTexelQuery what,
                                     std::uint32_t level) {
  return texture_unit().query(handle, what, level, AFTERLIFE_CODE);
}

}  // extern "C"
