// Nodes that launch a kernel.
#include "harness/devices/sim/calls_graph.h"

namespace harness::devices::calls {

CUresult cuGraphAddKernelNode_v2(CUgraphNode* created, CUgraph graph, const CUgraphNode* after,
                                 size_t after_count, const CUDA_KERNEL_NODE_PARAMS* given) {
  if (given == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add_params({created, graph, CU_GRAPH_NODE_TYPE_KERNEL, after, nullptr, after_count},
                    [&](SimDevice& sim, const NodeParams*& made) {
                      return make_kernel_params(sim, *given, made);
                    });
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* params) {
  const NodeParams* found = params_of(node, CU_GRAPH_NODE_TYPE_KERNEL);
  if (params == nullptr || found == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *params = found->kernel;
  return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* given) {
  if (given == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return set_params(node, CU_GRAPH_NODE_TYPE_KERNEL, [&](SimDevice& sim, const NodeParams*& made) {
    return make_kernel_params(sim, *given, made);
  });
}

}  // namespace harness::devices::calls
