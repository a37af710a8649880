// SPDX-License-Identifier: Apache-2.0
// Graph parameters: converts parameters of nodes to the driver's representation, and back.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

namespace harness::cudart {

/// Returns the context of nodes that the calling thread creates. Requires a context.
CUresult node_context(CUcontext& context);

/// Finds the kernel. Errors: those of find_kernel().
cudaError_t to_driver(const cudaKernelNodeParams& from, CUDA_KERNEL_NODE_PARAMS& to);
/// The result has the host address with which the kernel was registered, if it was.
cudaKernelNodeParams from_driver(const CUDA_KERNEL_NODE_PARAMS& from);

/// Returns the runtime's error for the size of a node's kernel, like that of a launch.
cudaError_t kernel_error(CUresult result, const cudaKernelNodeParams& parameters);

/// Translates the parameters of a node of any type. Requires a context. Errors:
/// cudaErrorInvalidValue for an unknown type; those of the type.
cudaError_t to_driver(const cudaGraphNodeParams& from, CUgraphNodeParams& to);

/// Copies the results of adding a node: the address of memory, the body graphs of a condition.
void take_given(const CUgraphNodeParams& from, cudaGraphNodeParams& to);

}  // namespace harness::cudart
