// SPDX-License-Identifier: Apache-2.0
// The real libcuda.so.1, loaded at run time. Only cuGetProcAddress_v2 is looked up by name; it
// returns all others by base name and version, so that no symbol of the library conflicts with
// ours.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>

#include "harness/devices/gpu/gpu_device.h"

namespace harness::devices {

namespace {

using GetProcAddress = CUresult(CUDAAPI*)(const char*, void**, int, cuuint64_t,
                                          CUdriverProcAddressQueryResult*);

/// Returns the stub for a function that this driver does not have.
template <class... Arguments>
auto missing(CUresult (*)(Arguments...)) -> CUresult (*)(Arguments...) {
  return [](Arguments...) -> CUresult { return CUDA_ERROR_NOT_SUPPORTED; };
}

/// Returns the name by which to ask for a function: normally the base name. A name without a
/// version suffix is used itself: cuGraphInstantiateWithFlags was added when its base name still
/// meant an older function.
const char* asked_name(const char* name, const char* base) {
  return std::strchr(name, '_') == nullptr ? name : base;
}

template <class Function>
void look_up(GetProcAddress get, const char* name, int since, cuuint64_t flags,
             Function& function) {
  void* found = nullptr;
  const CUresult status = get(name, &found, since, flags, nullptr);
  function = status == CUDA_SUCCESS && found != nullptr ? reinterpret_cast<Function>(found)
                                                        : missing(static_cast<Function>(nullptr));
}

GetProcAddress open_library(const std::string& file) {
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const std::string why = dlerror();
    const bool absent = why.find("No such file") != std::string::npos;
    throw std::runtime_error("no CUDA driver: " + (absent ? file + " not found" : why) +
                             "; install an NVIDIA driver or use --device sim");
  }
  void* get = dlsym(library, "cuGetProcAddress_v2");
  if (get == nullptr)
    throw std::runtime_error(
        "the CUDA driver is too old: " + file +
        " has no cuGetProcAddress_v2; install one for CUDA 12 or later, or use --device sim");
  return reinterpret_cast<GetProcAddress>(get);
}

DriverTable load(const std::string& file) {
  constexpr cuuint64_t plain = CU_GET_PROC_ADDRESS_LEGACY_STREAM;
  constexpr cuuint64_t per_thread = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  const GetProcAddress get = open_library(file);
  DriverTable table{};
#define CUDA_ROW(name, base, since, flavour, needs, turn, failure, parameters, arguments) \
  look_up(get, asked_name(#name, base), since, flavour, table.name);
#include "harness/driver/cuda/cuda.def"

  int count = 0;
  CUresult status = table.cuInit(0);
  if (status == CUDA_SUCCESS) status = table.cuDeviceGetCount(&count);
  if (status != CUDA_SUCCESS || count == 0) {
    const char* name = nullptr;
    if (table.cuGetErrorName(status, &name) != CUDA_SUCCESS || name == nullptr)
      name = "unknown error";
    throw std::runtime_error(std::string("the CUDA driver finds no usable GPU (") + name +
                             "); use --device sim");
  }
  return table;
}

}  // namespace

const DriverTable& load_driver() {
  static std::map<std::string, DriverTable> loaded;
  const char* chosen = std::getenv("AFTERLIFE_LIBCUDA");
  const std::string file = chosen != nullptr ? chosen : "libcuda.so.1";
  const auto known = loaded.find(file);
  return known != loaded.end() ? known->second : loaded.emplace(file, load(file)).first->second;
}

}  // namespace harness::devices
