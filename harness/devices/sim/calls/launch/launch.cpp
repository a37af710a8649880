// SPDX-License-Identifier: Apache-2.0
// Launches of kernels, and the attributes that a launch can have.
//
// A device may overlap a kernel with the one before it (programmatic stream serialization), but
// ours does not. The events of a launch are recorded after the kernel, which is the latest point
// allowed. In a capture, both become edges with the corresponding data.
#include "harness/devices/sim/calls/calls.h"
#include "harness/devices/sim/graphs/params.h"
#include "harness/devices/sim/limits.h"

namespace harness::devices::calls {

// ---- grid and parameters ----------------------------------------------------------------------

/// Returns the buffer that `extra` passes instead of kernelParams; null if there is none.
static const std::byte* parameter_buffer(void** extra, std::size_t& bytes) {
  const std::byte* buffer = nullptr;
  for (; extra != nullptr && *extra != nullptr && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = static_cast<const std::byte*>(extra[1]);
    if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *static_cast<const std::size_t*>(extra[1]);
  }
  return buffer;
}

bool fits(const CUlaunchConfig& config) {
  const auto within = [](unsigned value, unsigned limit) { return value - 1 < limit; };
  return within(config.gridDimX, 0x7fffffff) && within(config.gridDimY, 65535) &&
         within(config.gridDimZ, 65535) && within(config.blockDimX, 1024) &&
         within(config.blockDimY, 1024) && within(config.blockDimZ, 64) &&
         config.blockDimX * config.blockDimY * config.blockDimZ <= kMaxThreads &&
         config.sharedMemBytes <= kMaxSharedBytes;
}

bool fits(const CUlaunchConfig& config, const KernelEntry& kernel) {
  if (!fits(config)) return false;
  if (kernel.extras == nullptr) return true;
  const std::uint32_t limit = kernel.extras->thread_limit;
  const unsigned threads = config.blockDimX * config.blockDimY * config.blockDimZ;
  return (limit == 0 || threads <= limit) &&
         Launch::dynamic_shared(kernel) + config.sharedMemBytes <= kMaxSharedBytes;
}

bool copy_parameters(Launch& launch, const KernelEntry& entry, void** parameters, void** extra) {
  if (parameters != nullptr || entry.parameter_count == 0) {
    for (std::uint32_t i = 0; i < entry.parameter_count; ++i)
      if (parameters[i] == nullptr) return false;
    launch.prepare(entry, parameters);
    return true;
  }
  std::size_t bytes = 0;
  const std::byte* buffer = parameter_buffer(extra, bytes);
  if (buffer == nullptr || bytes != entry.parameter_bytes) return false;
  launch.prepare(entry, buffer);
  return true;
}

// ---- attributes -------------------------------------------------------------------------------

/// The attributes of a launch, after they have been checked.
struct LaunchAttributes {
  struct Recorded {
    Event* event = nullptr;
    CUgraphEdgeData edge{};  ///< In a capture, the data of edges to the nodes that wait for the
                             ///< event.
  };

  KernelAttributes kernel;
  bool has_priority = false;
  bool overlaps = false;
  Recorded programmatic;
  Recorded begun;
};

/// Finds an event of a launch, which may not have timing, be shared, or (outside of captures) be
/// external.
static CUresult find_event(SimDevice& sim, CUevent handle, int flags, bool captured,
                           Event*& event) {
  event = handle != nullptr ? sim.find(sim.handles().events, handle, "event") : nullptr;
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (flags == CU_EVENT_RECORD_EXTERNAL && !captured) return CUDA_ERROR_ILLEGAL_STATE;
  if (flags != CU_EVENT_RECORD_DEFAULT) return CUDA_ERROR_INVALID_VALUE;
  const bool shared = event->exported != nullptr || (event->flags & CU_EVENT_INTERPROCESS) != 0;
  const bool timed = (event->flags & CU_EVENT_DISABLE_TIMING) == 0;
  return shared || timed ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
}

static CUresult read_attribute(SimDevice& sim, const CUlaunchConfig& config, bool captured,
                               const CUlaunchAttribute& given, LaunchAttributes& read) {
  constexpr unsigned char kProgrammatic = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
  switch (given.id) {
    case CU_LAUNCH_ATTRIBUTE_IGNORE:
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
      read.overlaps = given.value.programmaticStreamSerializationAllowed != 0;
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT: {
      const auto& value = given.value.programmaticEvent;
      read.programmatic.edge.type = kProgrammatic;
      read.programmatic.edge.from_port = value.triggerAtBlockStart != 0
                                             ? CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER
                                             : CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
      return find_event(sim, value.event, value.flags, captured, read.programmatic.event);
    }
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
      read.begun.edge.from_port = CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER;
      return find_event(sim, given.value.launchCompletionEvent.event,
                        given.value.launchCompletionEvent.flags, captured, read.begun.event);
    default:
      if (!is_node_attribute(given.id)) return CUDA_ERROR_INVALID_VALUE;
      read.kernel.values[given.id] = given.value;
      read.has_priority |= given.id == CU_LAUNCH_ATTRIBUTE_PRIORITY;
      return check_attribute(given.id, given.value, config);
  }
}

static CUresult read_attributes(SimDevice& sim, const CUlaunchConfig& config, bool captured,
                                LaunchAttributes& read) {
  if (config.attrs == nullptr) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const CUlaunchAttribute& given = config.attrs[i];
    if (given.id == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE && !captured)
      return CUDA_ERROR_NOT_SUPPORTED;  // There is no node.
    if (const CUresult error = read_attribute(sim, config, captured, given, read);
        error != CUDA_SUCCESS)
      return error;
  }
  return CUDA_SUCCESS;
}

// ---- launches ---------------------------------------------------------------------------------

/// A node has the priority of the captured stream, unless the launch has its own.
static const KernelAttributes& node_attributes(SimDevice& sim, const Stream& stream,
                                               const LaunchAttributes* given) {
  if (given == nullptr && stream.priority == 0) return kDefaultAttributes;
  KernelAttributes& made = sim.graphs().definitions().fresh_attributes(
      given != nullptr ? given->kernel : kDefaultAttributes);
  if (given == nullptr || !given->has_priority)
    made.values[CU_LAUNCH_ATTRIBUTE_PRIORITY].priority = stream.priority;
  return made;
}

static CUresult capture_kernel(SimDevice& sim, Stream& stream, const CUlaunchConfig& config,
                               CUfunction function, void** parameters, void** extra,
                               const LaunchAttributes* attributes) {
  CUDA_KERNEL_NODE_PARAMS given{};
  given.func = function;
  given.gridDimX = config.gridDimX;
  given.gridDimY = config.gridDimY;
  given.gridDimZ = config.gridDimZ;
  given.blockDimX = config.blockDimX;
  given.blockDimY = config.blockDimY;
  given.blockDimZ = config.blockDimZ;
  given.sharedMemBytes = config.sharedMemBytes;
  given.kernelParams = parameters;
  given.extra = extra;
  const Found<const NodeParams> made = make_kernel_params(sim, given);
  if (!made) return made.error();
  if (attributes != nullptr && attributes->overlaps) sim.captures().overlap(stream);
  return sim.captures().add(stream, *made, node_attributes(sim, stream, attributes));
}

/// Refuses parameters that are passed in both ways, and a buffer that is larger than the kernel's
/// parameters, for which a driver runs out of resources.
static CUresult check_parameters(const KernelEntry& entry, void** parameters, void** extra) {
  std::size_t bytes = 0;
  const std::byte* buffer = parameter_buffer(extra, bytes);
  if (buffer == nullptr) return CUDA_SUCCESS;
  if (parameters != nullptr) return CUDA_ERROR_INVALID_VALUE;
  return bytes > entry.parameter_bytes ? CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES : CUDA_SUCCESS;
}

static CUresult launch(SimDevice& sim, const CUlaunchConfig& config, CUstream on, CUfunction handle,
                       void** parameters, void** extra,
                       const LaunchAttributes* attributes = nullptr) {
  const Found<Stream> stream = find_work_stream(sim, on);
  if (!stream) return stream.error();
  Function* function = find_function(sim, handle);
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const Context* context = function->module->context;
  if (context != nullptr && context != stream->context) return CUDA_ERROR_INVALID_HANDLE;
  if (!fits(config, *function->entry)) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = check_parameters(*function->entry, parameters, extra);
      error != CUDA_SUCCESS)
    return error;
  if (parameters != nullptr) extra = nullptr;  // It holds no parameters.
  if (stream->capture != nullptr)
    return capture_kernel(sim, *stream, config, handle, parameters, extra, attributes);
  Work& work = sim.queues().fresh(WorkKind::kernel, function->label);
  Launch& made = work.launch;
  if (!copy_parameters(made, *function->entry, parameters, extra)) {
    sim.queues().discard(work);
    return CUDA_ERROR_INVALID_VALUE;
  }
  work.module = function->module;
  made.grid = {config.gridDimX, config.gridDimY, config.gridDimZ};
  made.block = {config.blockDimX, config.blockDimY, config.blockDimZ};
  made.shared_bytes = config.sharedMemBytes;
  made.is_cooperative = attributes != nullptr && attributes->kernel.cooperative();
  made.activation = sim.scheduler().name_next("launch");
  sim.host_memory().adopt_all();
  {
    const Memory::CallView view(sim.memory());
    sim.provenance().authorise(made);
  }
  sim.queues().submit(*stream, work, Lag::ask);
  return sim.faults().broken();
}

CUresult Calls::cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                               unsigned grid_z, unsigned block_x, unsigned block_y,
                               unsigned block_z, unsigned shared_bytes, CUstream on,
                               void** parameters, void** extra) {
  const CUlaunchConfig config{grid_x,  grid_y,       grid_z, block_x, block_y,
                              block_z, shared_bytes, on,     nullptr, 0};
  const CUresult status = launch(sim, config, on, function, parameters, extra);
  if (status == CUDA_SUCCESS) invalidate_prepared(sim, function);
  return status;
}

/// Records the events of a launch.
static CUresult record(SimDevice& sim, CUstream on, const LaunchAttributes& attributes) {
  const Found<Stream> stream = find_stream(sim, on);
  if (!stream) return stream.error();
  for (const auto& [event, edge] : {attributes.programmatic, attributes.begun}) {
    if (event == nullptr) continue;
    if (stream->capture != nullptr) {
      sim.captures().record(*stream, *event, edge);
    } else if (const CUresult error = Calls{sim}.cuEventRecord(event->as<CUevent>(), on);
               error != CUDA_SUCCESS) {
      return error;
    }
  }
  return CUDA_SUCCESS;
}

static CUresult launch_ex(SimDevice& sim, const CUlaunchConfig& config, CUstream on,
                          CUfunction function, void** parameters, void** extra) {
  if (config.numAttrs == 0) return launch(sim, config, on, function, parameters, extra);
  const Found<Stream> stream = find_work_stream(sim, on);
  if (!stream) return stream.error();
  LaunchAttributes attributes;
  if (const CUresult error = read_attributes(sim, config, stream->capture != nullptr, attributes);
      error != CUDA_SUCCESS)
    return error;
  if (attributes.kernel.cooperative()) {
    if (!fits(config)) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult error = check_cooperative(config); error != CUDA_SUCCESS) return error;
  }
  const CUresult status = launch(sim, config, on, function, parameters, extra, &attributes);
  return status == CUDA_SUCCESS ? record(sim, on, attributes) : status;
}

CUresult Calls::cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function,
                                 void** parameters, void** extra) {
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return launch_ex(sim, *config, config->hStream, function, parameters, extra);
}

CUresult Calls::cuLaunchKernelEx_ptsz(const CUlaunchConfig* config, CUfunction function,
                                      void** parameters, void** extra) {
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return launch_ex(sim, *config, per_thread(config->hStream), function, parameters, extra);
}

}  // namespace harness::devices::calls
