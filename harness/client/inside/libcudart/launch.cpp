// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcudart/launch.h"

#include <array>
#include <limits>
#include <utility>

#include "harness/client/inside/libcudart/binaries.h"
#include "harness/client/inside/libcudart/call.h"

namespace harness::cudart {
namespace {

// Both interfaces have the same attributes, with the same numbers.
static_assert(sizeof(cudaLaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(static_cast<int>(cudaLaunchAttributeCooperative) == CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
static_assert(static_cast<int>(cudaLaunchAttributeClusterDimension) ==
              CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
static_assert(static_cast<int>(cudaLaunchAttributePreferredSharedMemoryCarveout) ==
              CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);

/// The driver's parameter has this type.
constexpr std::size_t kSharedLimit = std::numeric_limits<unsigned>::max();

int device_limit(CUdevice_attribute attribute) {
  int value = 0;
  CUdevice device = 0;
  if (driver.cuCtxGetDevice(&device) == CUDA_SUCCESS)
    driver.cuDeviceGetAttribute(&value, attribute, device);
  return value;
}

bool is_within(const dim3& size, CUdevice_attribute x, CUdevice_attribute y, CUdevice_attribute z) {
  const std::array<std::pair<unsigned, CUdevice_attribute>, 3> axes{
      {{size.x, x}, {size.y, y}, {size.z, z}}};
  for (const auto& [extent, limit] : axes)
    if (extent == 0 || extent > static_cast<unsigned>(device_limit(limit))) return false;
  return true;
}

/// Returns whether the device can run launches of this size at all.
bool is_possible(const LaunchSize& size) {
  const std::size_t threads = std::size_t{size.block.x} * size.block.y * size.block.z;
  return is_within(size.grid, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,
                   CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z) &&
         is_within(size.block, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,
                   CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z) &&
         threads <=
             static_cast<std::size_t>(device_limit(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)) &&
         size.shared_bytes <= static_cast<std::size_t>(device_limit(
                                  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
}

LaunchSize size_of(const cudaLaunchConfig_t& config) {
  return {config.gridDim, config.blockDim, config.dynamicSmemBytes, config.stream};
}

}  // namespace

cudaError_t launch_error(CUresult result, const LaunchSize& size) {
  return result == CUDA_ERROR_INVALID_VALUE && !is_possible(size) ? cudaErrorInvalidConfiguration
                                                                  : error_of(result);
}

cudaError_t launch(CUkernel kernel, const LaunchSize& size, void** arguments) {
  const auto& [grid, block, shared_bytes, stream] = size;
  if (shared_bytes > kSharedLimit) return cudaErrorInvalidConfiguration;
  const CUresult result = driver.cuLaunchKernel(
      reinterpret_cast<CUfunction>(kernel), grid.x, grid.y, grid.z, block.x, block.y, block.z,
      static_cast<unsigned>(shared_bytes), stream, arguments, nullptr);
  return launch_error(result, size);
}

CUlaunchConfig launch_config(const cudaLaunchConfig_t& config) {
  const auto [grid, block, shared_bytes, stream] = size_of(config);
  return {grid.x,
          grid.y,
          grid.z,
          block.x,
          block.y,
          block.z,
          static_cast<unsigned>(shared_bytes),
          stream,
          reinterpret_cast<CUlaunchAttribute*>(config.attrs),
          config.numAttrs};
}

/// Launches the kernel of a function's address.
static cudaError_t launch_function(const void* function, const cudaLaunchConfig_t& config,
                                   void** arguments) {
  CUkernel kernel = nullptr;
  if (const cudaError_t error = find_kernel(function, kernel)) return error;
  if (config.dynamicSmemBytes > kSharedLimit) return cudaErrorInvalidConfiguration;
  const CUlaunchConfig wanted = launch_config(config);
  return launch_error(
      driver.cuLaunchKernelEx(&wanted, reinterpret_cast<CUfunction>(kernel), arguments, nullptr),
      size_of(config));
}

}  // namespace harness::cudart

using harness::cudart::Call;
using harness::cudart::in_context;
using harness::cudart::launch_function;

#undef cudaLaunchKernel
#undef cudaLaunchKernelExC

CUDART_API cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block,
                                        void** arguments, size_t shared_bytes,
                                        cudaStream_t stream) {
  const Call call("cudaLaunchKernel");
  return in_context([&] {
    CUkernel kernel = nullptr;
    const cudaError_t error = harness::cudart::find_kernel(function, kernel);
    return error != cudaSuccess
               ? error
               : harness::cudart::launch(kernel, {grid, block, shared_bytes, stream}, arguments);
  });
}
CUDART_PTSZ(cudaLaunchKernel, stream,
            (const void* function, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
             cudaStream_t stream),
            (function, grid, block, arguments, shared_bytes, stream))

CUDART_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                           void** arguments) {
  const Call call("cudaLaunchKernelExC");
  return in_context([&] {
    return config != nullptr ? launch_function(function, *config, arguments)
                             : cudaErrorInvalidValue;
  });
}

CUDART_API cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t* config,
                                                const void* function, void** arguments) {
  const Call call("cudaLaunchKernelExC");
  if (config == nullptr) return cudaLaunchKernelExC(config, function, arguments);
  cudaLaunchConfig_t on_thread = *config;
  on_thread.stream = harness::cudart::per_thread(config->stream);
  return cudaLaunchKernelExC(&on_thread, function, arguments);
}

CUDART_API cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                                   void** arguments, size_t shared_bytes,
                                                   cudaStream_t stream) {
  const Call call("cudaLaunchCooperativeKernel");
  cudaLaunchAttribute cooperative{};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  const cudaLaunchConfig_t config{grid, block, shared_bytes, stream, &cooperative, 1};
  return in_context([&] { return launch_function(function, config, arguments); });
}
CUDART_PTSZ(cudaLaunchCooperativeKernel, stream,
            (const void* function, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
             cudaStream_t stream),
            (function, grid, block, arguments, shared_bytes, stream))
