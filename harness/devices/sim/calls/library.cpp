// SPDX-License-Identifier: Apache-2.0
// Libraries and the kernels in them, which do not belong to a context.
#include <algorithm>
#include <span>

#include "harness/devices/sim/calls/calls.h"
#include "harness/devices/sim/image_file.h"
#include "harness/devices/sim/jit_log.h"

namespace harness::devices::calls {

static CUresult make_library(SimDevice& sim, const ImageFound& found, CUlibrary* library) {
  if (found.image == nullptr) return found.error;
  Library& made = sim.handles().libraries.add();
  made.birth = sim.ledger().born("library", made.handle, 0);
  made.kernels.assign(found.image->entry_count, nullptr);
  made.module = &sim.handles().modules.add();  // The program never gets its handle.
  made.module->context = nullptr;
  made.module->image = found.image;
  made.module->functions.assign(found.image->entry_count, nullptr);
  made.module->birth = made.birth;
  if (const CUresult error = give_variables(sim, *made.module); error != CUDA_SUCCESS) return error;
  *library = made.as<CUlibrary>();
  return CUDA_SUCCESS;
}

/// Any call on a library counts as a use of the code that the program has promised to preserve.
static Library* find_library(SimDevice& sim, CUlibrary handle) {
  Library* library = sim.find(sim.handles().libraries, handle, "library");
  if (library != nullptr) sim.host_memory().lent().used(library->code, {});
  return library;
}

/// The options of a library are hints here. They may have no values, since some need none.
static bool are_options(unsigned count, const CUjit_option* options, void* const* values,
                        unsigned library_count, const CUlibraryOption* library_options) {
  return are_jit_options(count, options, values) &&
         (library_count == 0 || library_options != nullptr);
}

CUresult Calls::cuLibraryLoadData(CUlibrary* library, const void* image, CUjit_option* options,
                                  void** option_values, unsigned option_count,
                                  CUlibraryOption* library_options, void** /*library_values*/,
                                  unsigned library_option_count) {
  if (library == nullptr || image == nullptr ||
      !are_options(option_count, options, option_values, library_option_count, library_options))
    return CUDA_ERROR_INVALID_VALUE;
  JitLogs logs(option_count, options, option_values);
  const ImageFound found = find_image(image);
  logs.end(found.why);
  const CUresult status = make_library(sim, found, library);
  const std::span given(library_options, library_option_count);
  if (status == CUDA_SUCCESS &&
      std::ranges::find(given, CU_LIBRARY_BINARY_IS_PRESERVED) != given.end())
    sim.handles().libraries.find(*library)->code = sim.host_memory().lent().lend(
        LentFor::library_code, reinterpret_cast<std::uint64_t>(image), 1);
  return status;
}

CUresult Calls::cuLibraryLoadFromFile(CUlibrary* library, const char* file, CUjit_option* options,
                                      void** option_values, unsigned option_count,
                                      CUlibraryOption* library_options, void** /*library_values*/,
                                      unsigned library_option_count) {
  if (library == nullptr || file == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::string image;
  if (const CUresult error = read_image(file, image); error != CUDA_SUCCESS) return error;
  if (!are_options(option_count, options, option_values, library_option_count, library_options))
    return CUDA_ERROR_INVALID_VALUE;
  JitLogs logs(option_count, options, option_values);
  const ImageFound found = find_image(image);
  logs.end(found.why);
  return make_library(sim, found, library);
}

CUresult Calls::cuLibraryGetGlobal(CUdeviceptr* address, size_t* bytes, CUlibrary handle,
                                   const char* name) {
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Library* library = find_library(sim, handle);
  if (library == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return find_variable(sim, *library->module, name, address, bytes);
}

CUresult Calls::cuLibraryUnload(CUlibrary handle) {
  if (const CUresult error = sim.captures().admit_unsafe(); error != CUDA_SUCCESS) return error;
  Library* library = sim.handles().libraries.find(handle);
  if (library == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!library->alive) {
    sim.ledger().double_free(library->birth);
    return CUDA_ERROR_INVALID_VALUE;
  }
  sim.host_memory().lent().give_back(library->code);
  library->alive = library->module->alive = false;
  library->module->unload = ++sim.handles().unload_count;
  sim.ledger().died(library->birth);
  take_variables(sim, *library->module);
  return CUDA_SUCCESS;
}

/// Returns the kernel of a function of the library's module.
static Kernel& get_kernel(SimDevice& sim, Library& library, Function& function) {
  Kernel*& known =
      library.kernels[static_cast<std::size_t>(function.entry - library.module->image->entries)];
  if (known == nullptr) {
    known = &sim.handles().kernels.add();
    known->library = &library;
    known->function = &function;
  }
  return *known;
}

CUresult Calls::cuLibraryGetKernelCount(unsigned* count, CUlibrary handle) {
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Library* library = find_library(sim, handle);
  if (library == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *count = library->module->image->entry_count;
  return CUDA_SUCCESS;
}

CUresult Calls::cuLibraryEnumerateKernels(CUkernel* kernels, unsigned count, CUlibrary handle) {
  if (kernels == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Library* library = find_library(sim, handle);
  if (library == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  for (std::uint32_t i = 0; i < std::min(count, library->module->image->entry_count); ++i)
    kernels[i] = get_kernel(sim, *library, get_function(sim, *library->module, i)).as<CUkernel>();
  return CUDA_SUCCESS;
}

CUresult Calls::cuLibraryGetKernel(CUkernel* kernel, CUlibrary handle, const char* name) {
  if (kernel == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Library* library = find_library(sim, handle);
  if (library == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  Function* function = find_function(sim, *library->module, name);
  if (function == nullptr) return CUDA_ERROR_NOT_FOUND;
  *kernel = get_kernel(sim, *library, *function).as<CUkernel>();
  return CUDA_SUCCESS;
}

/// Finds a kernel. It exists as long as its library.
static Kernel* find_kernel(SimDevice& sim, CUkernel handle) {
  Kernel* kernel = sim.find(sim.handles().kernels, handle, "kernel");
  if (kernel == nullptr || kernel->library->alive) return kernel;
  sim.faults().used_dead(kernel->library->birth);
  return nullptr;
}

CUresult Calls::cuKernelGetFunction(CUfunction* function, CUkernel handle) {
  if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Context* context = sim.threads().context();
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (!context->alive) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  const Kernel* kernel = find_kernel(sim, handle);
  if (kernel == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *function = kernel->function->as<CUfunction>();
  return CUDA_SUCCESS;
}

CUresult Calls::cuKernelGetLibrary(CUlibrary* library, CUkernel handle) {
  if (library == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Kernel* kernel = find_kernel(sim, handle);
  if (kernel == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *library = kernel->library->as<CUlibrary>();
  return CUDA_SUCCESS;
}

CUresult Calls::cuKernelGetName(const char** name, CUkernel handle) {
  if (name == nullptr || handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Kernel* kernel = find_kernel(sim, handle);
  if (kernel == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *name = kernel->function->entry->name;
  return CUDA_SUCCESS;
}

CUresult Calls::cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel handle,
                                     CUdevice device) {
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  const Kernel* kernel = find_kernel(sim, handle);
  if (kernel == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return cuFuncSetAttribute(kernel->function->as<CUfunction>(), attribute, value);
}

CUresult Calls::cuKernelSetCacheConfig(CUkernel handle, CUfunc_cache config, CUdevice device) {
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  if (!is_cache_config(config)) return CUDA_ERROR_INVALID_VALUE;
  return find_kernel(sim, handle) != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult Calls::cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel handle,
                                     CUdevice device) {
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  const Kernel* kernel = find_kernel(sim, handle);
  if (kernel == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return cuFuncGetAttribute(value, attribute, kernel->function->as<CUfunction>());
}

CUresult Calls::cuKernelGetParamInfo(CUkernel handle, size_t index, size_t* offset, size_t* bytes) {
  const Kernel* kernel = find_kernel(sim, handle);
  if (kernel == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return cuFuncGetParamInfo(kernel->function->as<CUfunction>(), index, offset, bytes);
}

}  // namespace harness::devices::calls
