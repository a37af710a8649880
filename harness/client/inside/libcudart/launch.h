// SPDX-License-Identifier: Apache-2.0
// Launch: launches kernels, with the runtime's errors.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>

namespace harness::cudart {

struct LaunchSize {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
};

/// Errors: cudaErrorInvalidConfiguration if the device can never run a launch of that size.
cudaError_t launch(CUkernel kernel, const LaunchSize& size, void** arguments);

/// Returns the runtime's error for a launch or a kernel node.
cudaError_t launch_error(CUresult result, const LaunchSize& size);

/// Converts the configuration to the driver's structure.
CUlaunchConfig launch_config(const cudaLaunchConfig_t& config);

}  // namespace harness::cudart
