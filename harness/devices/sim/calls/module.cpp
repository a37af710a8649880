// SPDX-License-Identifier: Apache-2.0
// Modules, functions and their attributes.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "harness/devices/sim/calls/calls.h"
#include "harness/devices/sim/image_file.h"
#include "harness/devices/sim/jit_log.h"
#include "harness/devices/sim/limits.h"

namespace harness::devices {

static ImageLookup image_lookup = nullptr;

static ImageFileLookup image_file_lookup = nullptr;

void set_image_lookup(ImageLookup lookup) { image_lookup = lookup; }
void set_image_file_lookup(ImageFileLookup lookup) { image_file_lookup = lookup; }

namespace calls {

/// Compares byte by byte, because another kind of image may be shorter than the magic number.
static bool is_kernel_image(const void* image) {
  const auto* bytes = static_cast<const unsigned char*>(image);
  for (unsigned i = 0; i < sizeof kKernelImageMagic; ++i)
    if (bytes[i] != static_cast<unsigned char>(kKernelImageMagic >> 8 * i)) return false;
  return true;
}

/// With a lookup, only its images are accepted, since the kernels of other modules would not be
/// checked.
ImageFound find_image(const void* image) {
  if (image_lookup != nullptr) return image_lookup(image);
  if (is_kernel_image(image)) return {static_cast<const KernelImage*>(image), CUDA_SUCCESS};
  return {nullptr, CUDA_ERROR_INVALID_IMAGE};
}

ImageFound find_image(const std::string& file) {
  return image_file_lookup != nullptr ? image_file_lookup(file) : find_image(file.c_str());
}

CUresult read_image(const char* file, std::string& image) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return CUDA_ERROR_FILE_NOT_FOUND;
  image.assign(std::istreambuf_iterator<char>(in), {});
  return CUDA_SUCCESS;
}

static CUresult make_module(SimDevice& sim, const ImageFound& found, CUmodule* module) {
  if (found.image == nullptr) return found.error;
  Module& made = sim.handles().modules.add();
  made.context = sim.threads().context();
  made.image = found.image;
  made.functions.assign(found.image->entry_count, nullptr);
  made.birth = sim.ledger().born("module", made.handle, 0);
  if (const CUresult error = give_variables(sim, made); error != CUDA_SUCCESS) return error;
  *module = made.as<CUmodule>();
  return CUDA_SUCCESS;
}

static ImageFound find_loadable(const void* image) {
  ImageFound found = find_image(image);
  if (found.image == nullptr && is_kernel_image(image)) found.error = CUDA_ERROR_NO_BINARY_FOR_GPU;
  return found;
}

CUresult Calls::cuModuleLoadData(CUmodule* module, const void* image) {
  if (module == nullptr || image == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return make_module(sim, find_loadable(image), module);
}

/// Most options are hints for the compiler, and have no effect here.
CUresult Calls::cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned option_count,
                                   CUjit_option* options, void** option_values) {
  if (module == nullptr || image == nullptr ||
      !are_jit_options(option_count, options, option_values))
    return CUDA_ERROR_INVALID_VALUE;
  JitLogs logs(option_count, options, option_values);
  const ImageFound found = find_loadable(image);
  logs.end(found.why);
  return make_module(sim, found, module);
}

CUresult Calls::cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  return cuModuleLoadData(module, image);
}

CUresult Calls::cuModuleLoad(CUmodule* module, const char* file) {
  if (module == nullptr || file == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::string image;
  if (const CUresult error = read_image(file, image); error != CUDA_SUCCESS) return error;
  return make_module(sim, find_image(image), module);
}

CUresult Calls::cuModuleGetGlobal_v2(CUdeviceptr* address, size_t* bytes, CUmodule handle,
                                     const char* name) {
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Module* module = sim.find(sim.handles().modules, handle, "module");
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return find_variable(sim, *module, name, address, bytes);
}

CUresult Calls::cuModuleUnload(CUmodule handle) {
  if (const CUresult error = sim.captures().admit_unsafe(); error != CUDA_SUCCESS) return error;
  Module* module = sim.handles().modules.find(handle);
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (!module->alive) {
    sim.ledger().double_free(module->birth);
    return CUDA_ERROR_INVALID_HANDLE;
  }
  module->alive = false;  // Set first, because we may have to wait, and no other task may unload it
                          // during the wait.
  module->unload = ++sim.handles().unload_count;
  sim.ledger().died(module->birth);
  if (module->context != nullptr) may_wait(sim, *module->context);
  take_variables(sim, *module);
  return CUDA_SUCCESS;
}

Function& get_function(SimDevice& sim, Module& module, std::uint32_t entry) {
  Function*& known = module.functions[entry];
  if (known == nullptr) {
    known = &sim.handles().functions.add();
    known->module = &module;
    known->entry = &module.image->entries[entry];
    known->label = Label::of(known->entry->name);
  }
  return *known;
}

Function* find_function(SimDevice& sim, Module& module, const char* name) {
  for (std::uint32_t i = 0; i < module.image->entry_count; ++i)
    if (std::strcmp(module.image->entries[i].name, name) == 0) return &get_function(sim, module, i);
  return nullptr;
}

CUresult Calls::cuModuleGetFunction(CUfunction* function, CUmodule handle, const char* name) {
  if (function == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Module* module = sim.find(sim.handles().modules, handle, "module");
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  Function* found = find_function(sim, *module, name);
  if (found == nullptr) return CUDA_ERROR_NOT_FOUND;
  *function = found->as<CUfunction>();
  return CUDA_SUCCESS;
}

CUresult Calls::cuModuleGetFunctionCount(unsigned* count, CUmodule handle) {
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Module* module = sim.find(sim.handles().modules, handle, "module");
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *count = module->image->entry_count;
  return CUDA_SUCCESS;
}

CUresult Calls::cuModuleEnumerateFunctions(CUfunction* functions, unsigned count, CUmodule handle) {
  if (functions == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Module* module = sim.find(sim.handles().modules, handle, "module");
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  for (std::uint32_t i = 0; i < std::min(count, module->image->entry_count); ++i)
    functions[i] = get_function(sim, *module, i).as<CUfunction>();
  return CUDA_SUCCESS;
}

/// Functions are loaded with their module.
CUresult Calls::cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  if (mode == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *mode = CU_MODULE_EAGER_LOADING;
  return CUDA_SUCCESS;
}

// ---- functions --------------------------------------------------------------------------------

Function* find_function(SimDevice& sim, CUfunction handle) {
  const Kernel* kernel = sim.handles().kernels.find(handle);
  Function* function =
      kernel != nullptr ? kernel->function : sim.find(sim.handles().functions, handle, "function");
  if (function == nullptr || function->module->alive) return function;
  sim.faults().used_dead(function->module->birth);
  return nullptr;
}

CUresult Calls::cuFuncGetName(const char** name, CUfunction handle) {
  if (name == nullptr || handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Function* function = find_function(sim, handle);
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *name = function->entry->name;
  return CUDA_SUCCESS;
}

CUresult Calls::cuFuncGetModule(CUmodule* module, CUfunction handle) {
  if (module == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Function* function = find_function(sim, handle);
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *module = function->module->as<CUmodule>();
  return CUDA_SUCCESS;
}

CUresult Calls::cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction handle) {
  if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (find_function(sim, handle) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *state = CU_FUNCTION_LOADING_STATE_LOADED;
  return CUDA_SUCCESS;
}

CUresult Calls::cuFuncLoad(CUfunction handle) {
  return find_function(sim, handle) != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult Calls::cuFuncSetCacheConfig(CUfunction handle, CUfunc_cache config) {
  if (!is_cache_config(config)) return CUDA_ERROR_INVALID_VALUE;
  return cuFuncLoad(handle);  // This preference has no effect.
}

/// Returns an attribute; 0 if it is unknown. The number of registers is the limit given in the PTX.
static int attribute_of(const KernelEntry& kernel, CUfunction_attribute attribute) {
  static constexpr KernelExtras kNothing{};
  const KernelExtras& extras = kernel.extras != nullptr ? *kernel.extras : kNothing;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return extras.thread_limit != 0 ? static_cast<int>(extras.thread_limit) : kMaxThreads;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      return kMaxSharedBytes - static_cast<int>(Launch::dynamic_shared(kernel));
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      return static_cast<int>(extras.shared_bytes);
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
      return static_cast<int>(extras.constant_bytes);
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      return static_cast<int>(extras.local_bytes);
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      return static_cast<int>(extras.register_limit);
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      return static_cast<int>(extras.target);
    default:
      return 0;
  }
}

CUresult Calls::cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction handle) {
  if (value == nullptr || attribute < 0 || attribute >= CU_FUNC_ATTRIBUTE_MAX)
    return CUDA_ERROR_INVALID_VALUE;
  const Function* function = find_function(sim, handle);
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *value = attribute_of(*function->entry, attribute);
  return CUDA_SUCCESS;
}

CUresult Calls::cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value) {
  if (find_function(sim, handle) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      return value >= 0 && value <= kMaxSharedBytes ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return value >= -1 && value <= 100 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    default:
      return CUDA_ERROR_INVALID_VALUE;  // The other attributes cannot be set.
  }
}

CUresult Calls::cuFuncGetParamInfo(CUfunction handle, size_t index, size_t* offset, size_t* bytes) {
  const Function* function = find_function(sim, handle);
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (offset == nullptr || index >= function->entry->parameter_count)
    return CUDA_ERROR_INVALID_VALUE;
  *offset = function->entry->parameters[index].offset;
  if (bytes != nullptr) *bytes = function->entry->parameters[index].bytes;
  return CUDA_SUCCESS;
}

}  // namespace calls
}  // namespace harness::devices
