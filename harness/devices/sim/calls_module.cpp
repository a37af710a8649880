// Modules, functions and their attributes.
#include <cstring>

#include "harness/devices/sim/calls.h"
#include "harness/devices/sim/graph_params.h"

namespace harness::devices {

static ImageLookup image_lookup = nullptr;

void set_image_lookup(ImageLookup lookup) { image_lookup = lookup; }

namespace calls {

static constexpr int kMaxThreads = 1024;
static constexpr int kMaxSharedBytes = 48 * 1024;

/// Compares byte by byte: an image that is something else may be shorter than the magic number.
static bool is_kernel_image(const void* image) {
  const auto* bytes = static_cast<const unsigned char*>(image);
  for (unsigned i = 0; i < sizeof kKernelImageMagic; ++i)
    if (bytes[i] != static_cast<unsigned char>(kKernelImageMagic >> 8 * i)) return false;
  return true;
}

/// A library runs its own copies alone: another module's kernels would go unchecked.
const KernelImage* find_image(const void* image) {
  if (image_lookup != nullptr) return image_lookup(image);
  return is_kernel_image(image) ? static_cast<const KernelImage*>(image) : nullptr;
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  SimDevice& sim = SimDevice::current();
  if (module == nullptr || image == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const KernelImage* found = find_image(image);
  if (found == nullptr)
    return is_kernel_image(image) ? CUDA_ERROR_NO_BINARY_FOR_GPU : CUDA_ERROR_INVALID_IMAGE;
  Module& made = sim.modules.add();
  made.context = sim.current_context();
  made.image = found;
  made.functions.assign(found->entry_count, nullptr);
  made.birth = sim.ledger().born("module", made.handle, 0);
  *module = made.as<CUmodule>();
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned option_count,
                            CUjit_option* options, void** option_values) {
  if (option_count > 0 && (options == nullptr || option_values == nullptr))
    return CUDA_ERROR_INVALID_VALUE;
  return calls::cuModuleLoadData(module,
                                 image);  // Nothing is compiled, so there is nothing to opt.
}

CUresult cuModuleUnload(CUmodule handle) {
  SimDevice& sim = SimDevice::current();
  Module* module = sim.modules.find(handle);
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (!module->alive) {
    sim.ledger().double_free(module->birth);
    return CUDA_ERROR_INVALID_HANDLE;
  }
  module->alive = false;
  sim.ledger().died(module->birth);
  return CUDA_SUCCESS;
}

Function* find_function(SimDevice& sim, Module& module, const char* name) {
  for (std::uint32_t i = 0; i < module.image->entry_count; ++i) {
    if (std::strcmp(module.image->entries[i].name, name) != 0) continue;
    Function*& known = module.functions[i];
    if (known == nullptr) {
      known = &sim.functions.add();
      known->module = &module;
      known->entry = &module.image->entries[i];
      known->label = Label::of(known->entry->name);
    }
    return known;
  }
  return nullptr;
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule handle, const char* name) {
  SimDevice& sim = SimDevice::current();
  if (function == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Module* module = sim.find(sim.modules, handle, "module");
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  Function* found = find_function(sim, *module, name);
  if (found == nullptr) return CUDA_ERROR_NOT_FOUND;
  *function = found->as<CUfunction>();
  return CUDA_SUCCESS;
}

Function* find_function(SimDevice& sim, CUfunction handle) {
  const Kernel* kernel = sim.kernels.find(handle);
  Function* function =
      kernel != nullptr ? kernel->function : sim.find(sim.functions, handle, "function");
  if (function == nullptr || function->module->alive) return function;
  sim.used_dead(function->module->birth);
  return nullptr;
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction handle) {
  SimDevice& sim = SimDevice::current();
  if (value == nullptr || attribute < 0 || attribute >= CU_FUNC_ATTRIBUTE_MAX)
    return CUDA_ERROR_INVALID_VALUE;
  if (find_function(sim, handle) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK           ? kMaxThreads
           : attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ? kMaxSharedBytes
                                                                          : 0;
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value) {
  SimDevice& sim = SimDevice::current();
  if (find_function(sim, handle) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      return value >= 0 && value <= kMaxSharedBytes ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return value >= -1 && value <= 100 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    default:
      return CUDA_ERROR_INVALID_VALUE;  // The others only describe.
  }
}

CUresult cuFuncGetParamInfo(CUfunction handle, size_t index, size_t* offset, size_t* bytes) {
  SimDevice& sim = SimDevice::current();
  const Function* function = find_function(sim, handle);
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (offset == nullptr || index >= function->entry->parameter_count)
    return CUDA_ERROR_INVALID_VALUE;
  *offset = function->entry->parameters[index].offset;
  if (bytes != nullptr) *bytes = function->entry->parameters[index].bytes;
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* block_count, CUfunction handle,
                                                     int block_size, size_t shared_bytes) {
  SimDevice& sim = SimDevice::current();
  if (block_count == nullptr || block_size <= 0) return CUDA_ERROR_INVALID_VALUE;
  if (find_function(sim, handle) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *block_count =
      block_size <= kMaxThreads && shared_bytes <= kMaxSharedBytes ? 2048 / block_size : 0;
  return CUDA_SUCCESS;
}

// ---- launches ---------------------------------------------------------------------------------

/// The one buffer that `extra` names instead of kernelParams; null when it names none.
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

bool copy_parameters(Launch& launch, const KernelEntry& entry, void** parameters, void** extra) {
  if (parameters != nullptr || entry.parameter_count == 0) {
    launch.prepare(entry, parameters);
    return true;
  }
  std::size_t bytes = 0;
  const std::byte* buffer = parameter_buffer(extra, bytes);
  if (buffer == nullptr || bytes < entry.parameter_bytes) return false;
  launch.prepare(entry, buffer);
  return true;
}

static CUresult capture_kernel(SimDevice& sim, Stream& stream, const CUlaunchConfig& config,
                               CUfunction function, void** parameters, void** extra) {
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
  const NodeParams* made = nullptr;
  const CUresult status = make_kernel_params(sim, given, made);
  return status == CUDA_SUCCESS ? sim.captures.add(stream, *made) : status;
}

CUresult launch(SimDevice& sim, const CUlaunchConfig& config, CUstream on, CUfunction handle,
                void** parameters, void** extra) {
  SIM_WORK_STREAM(stream, on);
  Function* function = find_function(sim, handle);
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (!fits(config) || (parameters != nullptr && extra != nullptr)) return CUDA_ERROR_INVALID_VALUE;
  if (stream->capture != nullptr)
    return capture_kernel(sim, *stream, config, handle, parameters, extra);
  Work& work = sim.fresh_work(WorkKind::kernel, function->label);
  Launch& made = work.launch;
  if (!copy_parameters(made, *function->entry, parameters, extra)) {
    sim.discard(work);
    return CUDA_ERROR_INVALID_VALUE;
  }
  work.module = function->module;
  made.grid = {config.gridDimX, config.gridDimY, config.gridDimZ};
  made.block = {config.blockDimX, config.blockDimY, config.blockDimZ};
  made.shared_bytes = config.sharedMemBytes;
  made.activation = sim.scheduler().name_next("launch");
  sim.adopt_all_host_words();
  {
    const Memory::CallView view(sim.memory);
    sim.provenance->authorise(made);
  }
  sim.submit(*stream, work, Lag::ask);
  return sim.broken;
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream on, void** parameters, void** extra) {
  const CUlaunchConfig config{grid_x,  grid_y,       grid_z, block_x, block_y,
                              block_z, shared_bytes, on,     nullptr, 0};
  return launch(SimDevice::current(), config, on, function, parameters, extra);
}

static CUresult launch_ex(const CUlaunchConfig* config, CUstream on, CUfunction function,
                          void** parameters, void** extra) {
  for (unsigned i = 0; i < config->numAttrs; ++i)
    if (config->attrs[i].id != CU_LAUNCH_ATTRIBUTE_IGNORE) return CUDA_ERROR_NOT_SUPPORTED;
  return launch(SimDevice::current(), *config, on, function, parameters, extra);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** parameters,
                          void** extra) {
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return launch_ex(config, config->hStream, function, parameters, extra);
}

CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig* config, CUfunction function, void** parameters,
                               void** extra) {
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return launch_ex(config, per_thread(config->hStream), function, parameters, extra);
}

}  // namespace calls
}  // namespace harness::devices
