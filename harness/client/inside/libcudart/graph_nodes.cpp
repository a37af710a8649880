// SPDX-License-Identifier: Apache-2.0
// Graph nodes whose parameters differ from the driver's: kernels, memsets, conditions, and nodes of
// any type.
#include "harness/client/inside/libcudart/forward.h"
#include "harness/client/inside/libcudart/graph_params.h"

using harness::cudart::Call;
using harness::cudart::driver;
using harness::cudart::error_of;
using harness::cudart::forward;
using harness::cudart::from_driver;
using harness::cudart::in_context;
using harness::cudart::node_context;
using harness::cudart::to_driver;

namespace {

/// Translates a kernel's parameters, and passes them to a driver function.
template <class Function>
cudaError_t with_kernel(const cudaKernelNodeParams* parameters, const Function& function) {
  return in_context([&] {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    CUDA_KERNEL_NODE_PARAMS made{};
    const cudaError_t error = to_driver(*parameters, made);
    return error != cudaSuccess ? error
                                : harness::cudart::kernel_error(function(&made), *parameters);
  });
}

/// Passes the parameters of a memset, and its context, to a driver function.
template <class Function>
cudaError_t with_set(const cudaMemsetParams* parameters, const Function& function) {
  static_assert(sizeof *parameters == sizeof(CUDA_MEMSET_NODE_PARAMS));
  return in_context([&] {
    CUcontext context = nullptr;
    const CUresult error = node_context(context);
    return error != CUDA_SUCCESS
               ? error
               : function(reinterpret_cast<const CUDA_MEMSET_NODE_PARAMS*>(parameters), context);
  });
}

/// Translates the parameters of a node, and passes them to a driver function.
template <class Function>
cudaError_t with_node(cudaGraphNodeParams* parameters, const Function& function) {
  return in_context([&] {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    CUgraphNodeParams made{};
    if (const cudaError_t error = to_driver(*parameters, made)) return error;
    const CUresult result = function(&made);
    if (result == CUDA_SUCCESS) harness::cudart::take_given(made, *parameters);
    return error_of(result);
  });
}

}  // namespace

// ---- kernels ------------------------------------------------------------------------------------

CUDART_API cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                              const cudaGraphNode_t* after, size_t count,
                                              const cudaKernelNodeParams* parameters) {
  const Call call("cudaGraphAddKernelNode");
  return with_kernel(parameters, [&](const CUDA_KERNEL_NODE_PARAMS* made) {
    return driver.cuGraphAddKernelNode_v2(node, graph, after, count, made);
  });
}

CUDART_API cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                                    cudaKernelNodeParams* parameters) {
  const Call call("cudaGraphKernelNodeGetParams");
  return in_context([&] {
    if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
    CUDA_KERNEL_NODE_PARAMS found{};
    const CUresult error = driver.cuGraphKernelNodeGetParams_v2(node, &found);
    if (error == CUDA_SUCCESS) *parameters = from_driver(found);
    return error;
  });
}

CUDART_API cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                                    const cudaKernelNodeParams* parameters) {
  const Call call("cudaGraphKernelNodeSetParams");
  return with_kernel(parameters, [&](const CUDA_KERNEL_NODE_PARAMS* made) {
    return driver.cuGraphKernelNodeSetParams_v2(node, made);
  });
}

CUDART_API cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                        const cudaKernelNodeParams* parameters) {
  const Call call("cudaGraphExecKernelNodeSetParams");
  return with_kernel(parameters, [&](const CUDA_KERNEL_NODE_PARAMS* made) {
    return driver.cuGraphExecKernelNodeSetParams_v2(exec, node, made);
  });
}

// ---- memsets ------------------------------------------------------------------------------------

CUDART_API cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                              const cudaGraphNode_t* after, size_t count,
                                              const cudaMemsetParams* parameters) {
  const Call call("cudaGraphAddMemsetNode");
  return with_set(parameters, [&](const CUDA_MEMSET_NODE_PARAMS* same, CUcontext context) {
    return driver.cuGraphAddMemsetNode(node, graph, after, count, same, context);
  });
}

CUDART_API cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                        const cudaMemsetParams* parameters) {
  const Call call("cudaGraphExecMemsetNodeSetParams");
  return with_set(parameters, [&](const CUDA_MEMSET_NODE_PARAMS* same, CUcontext context) {
    return driver.cuGraphExecMemsetNodeSetParams(exec, node, same, context);
  });
}

// ---- any type -----------------------------------------------------------------------------------

CUDART_API cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* after,
                                        const cudaGraphEdgeData* edges, size_t count,
                                        cudaGraphNodeParams* parameters) {
  static_assert(sizeof(cudaGraphEdgeData) == sizeof(CUgraphEdgeData));
  const Call call("cudaGraphAddNode");
  return with_node(parameters, [&](CUgraphNodeParams* made) {
    return driver.cuGraphAddNode_v2(node, graph, after,
                                    reinterpret_cast<const CUgraphEdgeData*>(edges), count, made);
  });
}

CUDART_API cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node,
                                              cudaGraphNodeParams* parameters) {
  const Call call("cudaGraphNodeSetParams");
  return with_node(
      parameters, [&](CUgraphNodeParams* made) { return driver.cuGraphNodeSetParams(node, made); });
}

CUDART_API cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                  cudaGraphNodeParams* parameters) {
  const Call call("cudaGraphExecNodeSetParams");
  return with_node(parameters, [&](CUgraphNodeParams* made) {
    return driver.cuGraphExecNodeSetParams(exec, node, made);
  });
}

CUDART_API cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle,
                                                        cudaGraph_t graph, unsigned default_value,
                                                        unsigned flags) {
  const Call call("cudaGraphConditionalHandleCreate");
  return in_context([&] {
    CUcontext context = nullptr;
    const CUresult error = node_context(context);
    return error != CUDA_SUCCESS ? error
                                 : forward(driver.cuGraphConditionalHandleCreate, handle, graph,
                                           context, default_value, flags);
  });
}

// ---- executable graphs --------------------------------------------------------------------------

CUDART_API cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* exec, cudaGraph_t graph,
                                                      cudaGraphInstantiateParams* parameters) {
  static_assert(sizeof *parameters == sizeof(CUDA_GRAPH_INSTANTIATE_PARAMS));
  const Call call("cudaGraphInstantiateWithParams");
  return in_context([&] {
    return driver.cuGraphInstantiateWithParams(
        exec, graph, reinterpret_cast<CUDA_GRAPH_INSTANTIATE_PARAMS*>(parameters));
  });
}

CUDART_API cudaError_t cudaGraphInstantiateWithParams_ptsz(cudaGraphExec_t* exec, cudaGraph_t graph,
                                                           cudaGraphInstantiateParams* parameters) {
  const Call call("cudaGraphInstantiateWithParams");
  return in_context([&] {
    return driver.cuGraphInstantiateWithParams_ptsz(
        exec, graph, reinterpret_cast<CUDA_GRAPH_INSTANTIATE_PARAMS*>(parameters));
  });
}
