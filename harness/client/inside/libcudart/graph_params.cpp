// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcudart/graph_params.h"

#include <bit>
#include <cstring>

#include "harness/client/inside/libcudart/binaries.h"
#include "harness/client/inside/libcudart/call.h"
#include "harness/client/inside/libcudart/copies.h"
#include "harness/client/inside/libcudart/launch.h"

namespace harness::cudart {

// These parameter types are the same in both interfaces.
static_assert(sizeof(cudaHostNodeParamsV2) == sizeof(CUDA_HOST_NODE_PARAMS_v2));
static_assert(sizeof(cudaChildGraphNodeParams) == sizeof(CUDA_CHILD_GRAPH_NODE_PARAMS));
static_assert(sizeof(cudaEventWaitNodeParams) == sizeof(CUDA_EVENT_WAIT_NODE_PARAMS));
static_assert(sizeof(cudaEventRecordNodeParams) == sizeof(CUDA_EVENT_RECORD_NODE_PARAMS));
static_assert(sizeof(cudaMemAllocNodeParamsV2) == sizeof(CUDA_MEM_ALLOC_NODE_PARAMS_v2));
static_assert(sizeof(cudaMemFreeNodeParams) == sizeof(CUDA_MEM_FREE_NODE_PARAMS));
static_assert(static_cast<int>(cudaGraphNodeTypeConditional) == CU_GRAPH_NODE_TYPE_CONDITIONAL);

CUresult node_context(CUcontext& context) { return driver.cuCtxGetCurrent(&context); }

// ---- kernels ------------------------------------------------------------------------------------

cudaError_t to_driver(const cudaKernelNodeParams& from, CUDA_KERNEL_NODE_PARAMS& to) {
  to = {};
  if (const cudaError_t error = find_kernel(from.func, to.kern)) return error;
  to.gridDimX = from.gridDim.x;
  to.gridDimY = from.gridDim.y;
  to.gridDimZ = from.gridDim.z;
  to.blockDimX = from.blockDim.x;
  to.blockDimY = from.blockDim.y;
  to.blockDimZ = from.blockDim.z;
  to.sharedMemBytes = from.sharedMemBytes;
  to.kernelParams = from.kernelParams;
  to.extra = from.extra;
  return cudaSuccess;
}

cudaKernelNodeParams from_driver(const CUDA_KERNEL_NODE_PARAMS& from) {
  const CUkernel kernel = from.kern != nullptr ? from.kern : reinterpret_cast<CUkernel>(from.func);
  return {host_function(kernel),
          {from.gridDimX, from.gridDimY, from.gridDimZ},
          {from.blockDimX, from.blockDimY, from.blockDimZ},
          from.sharedMemBytes,
          from.kernelParams,
          from.extra};
}

cudaError_t kernel_error(CUresult result, const cudaKernelNodeParams& parameters) {
  return launch_error(
      result, {parameters.gridDim, parameters.blockDim, parameters.sharedMemBytes, nullptr});
}

// ---- any type -----------------------------------------------------------------------------------

static cudaError_t kernel_to_driver(const cudaKernelNodeParamsV2& from,
                                    CUDA_KERNEL_NODE_PARAMS_v3& to) {
  CUDA_KERNEL_NODE_PARAMS made{};
  const cudaError_t error =
      to_driver(cudaKernelNodeParams{from.func, from.gridDim, from.blockDim, from.sharedMemBytes,
                                     from.kernelParams, from.extra},
                made);
  to = std::bit_cast<CUDA_KERNEL_NODE_PARAMS_v3>(made);
  return error;
}

cudaError_t to_driver(const cudaGraphNodeParams& from, CUgraphNodeParams& to) {
  to = {};
  to.type = static_cast<CUgraphNodeType>(from.type);
  CUcontext context = nullptr;
  if (const CUresult error = node_context(context)) return error_of(error);
  switch (from.type) {
    case cudaGraphNodeTypeKernel:
      return kernel_to_driver(from.kernel, to.kernel);
    case cudaGraphNodeTypeMemcpy:
      to.memcpy.flags = from.memcpy.flags;
      to.memcpy.copyCtx = context;
      return to_driver(from.memcpy.copyParams, to.memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
      to.memset = {address_of(from.memset.dst),
                   from.memset.pitch,
                   from.memset.value,
                   from.memset.elementSize,
                   from.memset.width,
                   from.memset.height,
                   context};
      return cudaSuccess;
    case cudaGraphNodeTypeConditional:
      to.conditional.handle = from.conditional.handle;
      to.conditional.type = static_cast<CUgraphConditionalNodeType>(from.conditional.type);
      to.conditional.size = from.conditional.size;
      to.conditional.ctx = context;
      return cudaSuccess;
    case cudaGraphNodeTypeHost:
    case cudaGraphNodeTypeGraph:
    case cudaGraphNodeTypeEmpty:
    case cudaGraphNodeTypeWaitEvent:
    case cudaGraphNodeTypeEventRecord:
    case cudaGraphNodeTypeMemAlloc:
    case cudaGraphNodeTypeMemFree:
      std::memcpy(to.reserved1, from.reserved1, sizeof to.reserved1);
      return cudaSuccess;
    case cudaGraphNodeTypeExtSemaphoreSignal:
    case cudaGraphNodeTypeExtSemaphoreWait:
      return cudaErrorNotSupported;
    default:
      return cudaErrorInvalidValue;
  }
}

void take_given(const CUgraphNodeParams& from, cudaGraphNodeParams& to) {
  if (from.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
    to.alloc.dptr = reinterpret_cast<void*>(from.alloc.dptr);
  if (from.type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
    to.conditional.phGraph_out = from.conditional.phGraph_out;
}

}  // namespace harness::cudart
