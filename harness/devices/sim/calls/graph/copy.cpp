// SPDX-License-Identifier: Apache-2.0
// Nodes that copy or set memory.
#include "harness/devices/sim/calls/graph.h"

namespace harness::devices::calls {

CUresult Calls::cuGraphAddMemcpyNode(CUgraphNode* created, CUgraph graph, const CUgraphNode* after,
                                     size_t after_count, const CUDA_MEMCPY3D* given,
                                     CUcontext context) {
  if (given == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add_params(sim, {created, graph, CU_GRAPH_NODE_TYPE_MEMCPY, after, nullptr, after_count},
                    [&] { return make_copy_params(sim, *given, context); });
}

CUresult Calls::cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D* params) {
  const NodeParams* found = params_of(sim, node, CU_GRAPH_NODE_TYPE_MEMCPY);
  if (params == nullptr || found == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *params = found->copy;
  return CUDA_SUCCESS;
}

CUresult Calls::cuGraphMemcpyNodeSetParams(CUgraphNode handle, const CUDA_MEMCPY3D* given) {
  if (given == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const NodeParams* old = params_of(sim, handle, CU_GRAPH_NODE_TYPE_MEMCPY);
  if (old == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return set_params(sim, handle, CU_GRAPH_NODE_TYPE_MEMCPY,
                    [&] { return make_copy_params(sim, *given, old->context->as<CUcontext>()); });
}

CUresult Calls::cuGraphAddMemsetNode(CUgraphNode* created, CUgraph graph, const CUgraphNode* after,
                                     size_t after_count, const CUDA_MEMSET_NODE_PARAMS* given,
                                     CUcontext context) {
  if (given == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add_params(sim, {created, graph, CU_GRAPH_NODE_TYPE_MEMSET, after, nullptr, after_count},
                    [&] { return make_set_params(sim, *given, context); });
}

CUresult Calls::cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS* params) {
  const NodeParams* found = params_of(sim, node, CU_GRAPH_NODE_TYPE_MEMSET);
  if (params == nullptr || found == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *params = found->set;
  return CUDA_SUCCESS;
}

CUresult Calls::cuGraphMemsetNodeSetParams(CUgraphNode handle,
                                           const CUDA_MEMSET_NODE_PARAMS* given) {
  if (given == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const NodeParams* old = params_of(sim, handle, CU_GRAPH_NODE_TYPE_MEMSET);
  if (old == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return set_params(sim, handle, CU_GRAPH_NODE_TYPE_MEMSET,
                    [&] { return make_set_params(sim, *given, old->context->as<CUcontext>()); });
}

}  // namespace harness::devices::calls
