// SPDX-License-Identifier: Apache-2.0
// Registration: the functions that host code of nvcc and clang calls before main(), at its launches
// and at the end. Source: the declarations in crt/host_runtime.h and crt/device_functions.h.
#include <fatbinary_section.h>

#include <array>
#include <cstddef>

#include "harness/client/inside/libcudart/binaries.h"
#include "harness/client/inside/libcudart/call.h"
#include "harness/client/inside/libcudart/launch.h"

using harness::cudart::Binary;
using harness::cudart::Call;
using harness::cudart::in_context;

namespace {

/// The launch configuration between <<< and >>>.
struct Configuration {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes;
  cudaStream_t stream;
};

/// Limit of nested launches: the arguments of a kernel may themselves launch kernels.
constexpr std::size_t kDepthLimit = 32;
thread_local std::array<Configuration, kDepthLimit> configurations;
thread_local std::size_t configuration_count = 0;

Binary& binary_of(void** handle) { return *reinterpret_cast<Binary*>(handle); }

}  // namespace

CUDART_API void** __cudaRegisterFatBinary(void* wrapper) {
  const auto& fatbin = *static_cast<const __fatBinC_Wrapper_t*>(wrapper);
  void* const* fatbins = fatbin.version == FATBINC_LINK_VERSION
                             ? static_cast<void* const*>(fatbin.filename_or_fatbins)
                             : nullptr;
  return reinterpret_cast<void**>(new Binary(fatbin.data, fatbins));
}

CUDART_API void __cudaRegisterFatBinaryEnd(void** /*handle*/) {}

/// Does not destroy the binary, because a thread may be about to load it.
CUDART_API void __cudaUnregisterFatBinary(void** handle) { binary_of(handle).unregister(); }

CUDART_API void __cudaRegisterFunction(void** handle, const char* host, char* /*device*/,
                                       const char* name, int /*thread_limit*/, uint3* /*thread*/,
                                       uint3* /*block*/, dim3* /*block_size*/, dim3* /*grid_size*/,
                                       int* /*warp_size*/) {
  binary_of(handle).add_kernel(host, name);
}

CUDART_API void __cudaRegisterVar(void** handle, char* host, char* /*device*/, const char* name,
                                  int /*is_external*/, std::size_t bytes, int /*is_constant*/,
                                  int /*is_global*/) {
  binary_of(handle).add_variable(host, name, bytes);
}

CUDART_API void __cudaRegisterManagedVar(void** handle, void** pointer, char* /*device*/,
                                         const char* name, int /*is_external*/, std::size_t bytes,
                                         int /*is_constant*/, int /*is_global*/) {
  binary_of(handle).add_managed(pointer, name, bytes);
}

/// Called before the first use of a managed variable on the host. The caller ignores the result.
CUDART_API char __cudaInitModule(void** handle) {
  const Call call("__cudaInitModule", false);
  return in_context([&] { return binary_of(handle).find_managed(); }) == cudaSuccess ? 1 : 0;
}

CUDART_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes,
                                                CUstream_st* stream) {
  if (configuration_count == kDepthLimit) return 1;
  configurations[configuration_count++] = {grid, block, shared_bytes, stream};
  return 0;
}

CUDART_API cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block,
                                                  std::size_t* shared_bytes, void* stream) {
  if (configuration_count == 0) return harness::cudart::keep(cudaErrorMissingConfiguration);
  const Configuration& last = configurations[--configuration_count];
  *grid = last.grid;
  *block = last.block;
  *shared_bytes = last.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = last.stream;
  return cudaSuccess;
}

namespace {

/// The reason why the last kernel was not found: host code requests a kernel once, and launches
/// null from then on.
std::atomic<cudaError_t> why_no_kernel{cudaErrorInvalidDeviceFunction};

}  // namespace

CUDART_API cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  const Call call("cudaGetKernel");
  const cudaError_t error =
      in_context([&] { return harness::cudart::find_kernel(function, *kernel); });
  if (error != cudaSuccess) why_no_kernel = error;
  return error;
}

CUDART_API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                                          void** arguments, std::size_t shared_bytes,
                                          cudaStream_t stream) {
  const Call call("cudaLaunchKernel");
  if (kernel == nullptr) return harness::cudart::keep(why_no_kernel);
  return in_context([&] {
    return harness::cudart::launch(kernel, {grid, block, shared_bytes, stream}, arguments);
  });
}

CUDART_API cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block,
                                               void** arguments, std::size_t shared_bytes,
                                               cudaStream_t stream) {
  const Call call("cudaLaunchKernel");
  return __cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes,
                            harness::cudart::per_thread(stream));
}
