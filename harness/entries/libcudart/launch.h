// SPDX-License-Identifier: Apache-2.0
// Launch: kernels on streams, with the runtime's errors.
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

/// Errors: cudaErrorInvalidConfiguration where the device can never run a launch of that size.
cudaError_t launch(CUkernel kernel, const LaunchSize& size, void** arguments);

/// Returns the error of a launch, or of a node that will be one, as the runtime has it.
cudaError_t launch_error(CUresult result, const LaunchSize& size);

/// Returns the same as the driver's structure. `size` says what the attributes are for.
CUlaunchConfig launch_config(const cudaLaunchConfig_t& config);

}  // namespace harness::cudart
