// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcudart/binaries.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "harness/base/short_lock.h"
#include "harness/client/inside/libcudart/call.h"

namespace harness::cudart {
namespace {

struct HostFunction {
  Binary* binary;
  std::string name;
  CUkernel kernel = nullptr;  ///< Null until it is looked up.
};

struct HostVariable {
  Binary* binary;
  std::string name;
  std::size_t bytes;
  void** managed = nullptr;  ///< The program's pointer to a managed variable.
};

/// All registered binaries. Lifetime: that of the process, because modules unregister at its end.
struct Registered {
  entries::ShortLock lock;
  std::map<const void*, HostFunction> functions;
  std::map<const void*, HostVariable> variables;
  std::map<CUkernel, const void*> hosts;
  std::set<const void*> gone;  ///< Functions of binaries that are no longer registered.
};
Registered& registered() {
  static auto* const all = new Registered;
  return *all;
}

/// Passed as the size of an image in memory: the image itself determines its end.
constexpr std::size_t kWholeImage = ~std::size_t{0};

std::atomic<bool> is_ending{false};

/// Notes the end of the process before the program unregisters its binaries: exit() calls handlers
/// in reverse order, and the program's was registered earlier.
void note_end() {
  std::atexit([] { is_ending = true; });
}

}  // namespace

cudaError_t Binary::link(CUlibrary& library) const {
  CUlinkState state = nullptr;
  if (const CUresult error = driver.cuLinkCreate_v2(0, nullptr, nullptr, &state))
    return error_of(error);
  CUresult error = CUDA_SUCCESS;
  bool has_part = false;
  // A part without PTX belongs to the toolkit (libcudadevrt), and most programs do not call it. If
  // one does, the link fails with a message.
  for (void* const* fatbin = fatbins_; *fatbin != nullptr && error == CUDA_SUCCESS; ++fatbin) {
    error = driver.cuLinkAddData_v2(state, CU_JIT_INPUT_FATBINARY, *fatbin, kWholeImage, nullptr, 0,
                                    nullptr, nullptr);
    if (error == CUDA_SUCCESS) has_part = true;
    if (error == CUDA_ERROR_NO_BINARY_FOR_GPU) error = CUDA_SUCCESS;
  }
  if (!has_part && error == CUDA_SUCCESS) error = CUDA_ERROR_NO_BINARY_FOR_GPU;
  void* linked = nullptr;
  if (error == CUDA_SUCCESS) error = driver.cuLinkComplete(state, &linked, nullptr);
  if (error == CUDA_SUCCESS)
    error = driver.cuLibraryLoadData(&library, linked, nullptr, nullptr, 0, nullptr, nullptr, 0);
  driver.cuLinkDestroy(state);
  return error_of(error);
}

cudaError_t Binary::load_image(CUlibrary& library) const {
  if (fatbins_ != nullptr) return link(library);
  return error_of(
      driver.cuLibraryLoadData(&library, image_, nullptr, nullptr, 0, nullptr, nullptr, 0));
}

cudaError_t Binary::load(CUlibrary& library) {
  library = library_;
  if (library != nullptr) return cudaSuccess;
  if (const cudaError_t error = load_image(library)) return error;
  CUlibrary first = nullptr;
  if (library_.compare_exchange_strong(first, library)) {
    note_end();
    return cudaSuccess;
  }
  driver.cuLibraryUnload(library);  // Another thread was faster.
  library = first;
  return cudaSuccess;
}

void Binary::add_kernel(const void* host, const char* name) {
  const std::lock_guard lock(registered().lock);
  registered().functions[host] = {this, name};
  registered().gone.erase(host);
}

void Binary::add_variable(const void* host, const char* name, std::size_t bytes) {
  const std::lock_guard lock(registered().lock);
  registered().variables[host] = {this, name, bytes};
}

void Binary::add_managed(void** pointer, const char* name, std::size_t bytes) {
  const std::lock_guard lock(registered().lock);
  registered().variables[pointer] = {this, name, bytes, pointer};
}

cudaError_t Binary::find_managed() {
  CUlibrary library = nullptr;
  if (const cudaError_t error = load(library)) return error;
  std::vector<HostVariable> found;
  {
    const std::lock_guard lock(registered().lock);
    for (const auto& [host, variable] : registered().variables)
      if (variable.binary == this && variable.managed != nullptr) found.push_back(variable);
  }
  for (const HostVariable& variable : found) {
    CUdeviceptr address = 0;
    if (const CUresult error =
            driver.cuLibraryGetManaged(&address, nullptr, library, variable.name.c_str()))
      return error_of(error);
    *variable.managed = reinterpret_cast<void*>(address);
  }
  return cudaSuccess;
}

void Binary::unregister() {
  {
    const std::lock_guard lock(registered().lock);
    const auto is_mine = [this](const auto& entry) { return entry.second.binary == this; };
    std::erase_if(registered().hosts, [&](const auto& entry) {
      const auto function = registered().functions.find(entry.second);
      return function != registered().functions.end() && is_mine(*function);
    });
    for (const auto& entry : registered().functions)
      if (is_mine(entry)) registered().gone.insert(entry.first);
    std::erase_if(registered().functions, is_mine);
    std::erase_if(registered().variables, is_mine);
  }
  const CUlibrary library = library_.exchange(nullptr);
  if (library != nullptr && !is_ending) driver.cuLibraryUnload(library);
}

/// Finds a kernel by a handle, which programs may pass instead of an address.
static cudaError_t find_handle(const void* handle, CUkernel& kernel) {
  const char* name = nullptr;
  kernel = static_cast<CUkernel>(const_cast<void*>(handle));
  const CUresult error = driver.cuFuncGetName(&name, reinterpret_cast<CUfunction>(kernel));
  return error == CUDA_ERROR_INVALID_HANDLE ? cudaErrorInvalidDeviceFunction : error_of(error);
}

cudaError_t find_kernel(const void* function, CUkernel& kernel) {
  if (function == nullptr) return cudaErrorInvalidDeviceFunction;
  HostFunction found{};
  {
    const std::lock_guard lock(registered().lock);
    const auto entry = registered().functions.find(function);
    if (entry != registered().functions.end()) found = entry->second;
    // It is no handle that the driver could know: another thread may be in exit().
    if (registered().gone.contains(function))
      return is_ending ? cudaErrorCudartUnloading : cudaErrorInvalidDeviceFunction;
  }
  if (found.binary == nullptr) return find_handle(function, kernel);
  kernel = found.kernel;
  if (kernel != nullptr) return cudaSuccess;
  CUlibrary library = nullptr;
  if (const cudaError_t error = found.binary->load(library)) return error;
  if (const CUresult error = driver.cuLibraryGetKernel(&kernel, library, found.name.c_str()))
    return error == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidDeviceFunction : error_of(error);
  const std::lock_guard lock(registered().lock);
  registered().functions[function].kernel = kernel;
  registered().hosts[kernel] = function;
  return cudaSuccess;
}

void* host_function(CUkernel kernel) {
  const std::lock_guard lock(registered().lock);
  const auto found = registered().hosts.find(kernel);
  return found != registered().hosts.end() ? const_cast<void*>(found->second) : kernel;
}

cudaError_t find_symbol(const void* host, Symbol& symbol) {
  HostVariable found{};
  {
    const std::lock_guard lock(registered().lock);
    const auto entry = registered().variables.find(host);
    if (entry == registered().variables.end()) return cudaErrorInvalidSymbol;
    found = entry->second;
  }
  CUlibrary library = nullptr;
  if (const cudaError_t error = found.binary->load(library)) return error;
  const auto look_up =
      found.managed != nullptr ? driver.cuLibraryGetManaged : driver.cuLibraryGetGlobal;
  const CUresult error = look_up(&symbol.address, &symbol.bytes, library, found.name.c_str());
  return error == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidSymbol : error_of(error);
}

}  // namespace harness::cudart
