// SPDX-License-Identifier: Apache-2.0
// Graph parameters: parameters of nodes as the driver has them, and back.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

namespace harness::cudart {

/// Returns the context that nodes of the calling thread work in. Needs: a context.
CUresult node_context(CUcontext& context);

/// Finds the kernel. Errors: those of find_kernel().
cudaError_t to_driver(const cudaKernelNodeParams& from, CUDA_KERNEL_NODE_PARAMS& to);
/// The function is the address that it was registered with, if it was.
cudaKernelNodeParams from_driver(const CUDA_KERNEL_NODE_PARAMS& from);

/// Returns the error of a node's size, as of a launch.
cudaError_t kernel_error(CUresult result, const cudaKernelNodeParams& parameters);

/// Translates the parameters of a node of any type. Needs: a context.
/// Errors: cudaErrorInvalidValue for a type that there is not; those of the type.
cudaError_t to_driver(const cudaGraphNodeParams& from, CUgraphNodeParams& to);

/// Sets what adding a node has given: the address of memory, the bodies of a condition.
void take_given(const CUgraphNodeParams& from, cudaGraphNodeParams& to);

}  // namespace harness::cudart
