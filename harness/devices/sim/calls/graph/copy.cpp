// Nodes that copy and set memory.
#include "harness/devices/sim/calls/graph.h"

namespace harness::devices::calls {

CUresult cuGraphAddMemcpyNode(CUgraphNode* created, CUgraph graph, const CUgraphNode* after,
                              size_t after_count, const CUDA_MEMCPY3D* given, CUcontext context) {
  if (given == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add_params({created, graph, CU_GRAPH_NODE_TYPE_MEMCPY, after, nullptr, after_count},
                    [&](SimDevice& sim, const NodeParams*& made) {
                      return make_copy_params(sim, *given, context, made);
                    });
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D* params) {
  const NodeParams* found = params_of(node, CU_GRAPH_NODE_TYPE_MEMCPY);
  if (params == nullptr || found == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *params = found->copy;
  return CUDA_SUCCESS;
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode handle, const CUDA_MEMCPY3D* given) {
  if (given == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const NodeParams* old = params_of(handle, CU_GRAPH_NODE_TYPE_MEMCPY);
  if (old == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return set_params(handle, CU_GRAPH_NODE_TYPE_MEMCPY,
                    [&](SimDevice& sim, const NodeParams*& made) {
                      return make_copy_params(sim, *given, old->context->as<CUcontext>(), made);
                    });
}

CUresult cuGraphAddMemsetNode(CUgraphNode* created, CUgraph graph, const CUgraphNode* after,
                              size_t after_count, const CUDA_MEMSET_NODE_PARAMS* given,
                              CUcontext context) {
  if (given == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add_params({created, graph, CU_GRAPH_NODE_TYPE_MEMSET, after, nullptr, after_count},
                    [&](SimDevice& sim, const NodeParams*& made) {
                      return make_set_params(sim, *given, context, made);
                    });
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS* params) {
  const NodeParams* found = params_of(node, CU_GRAPH_NODE_TYPE_MEMSET);
  if (params == nullptr || found == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *params = found->set;
  return CUDA_SUCCESS;
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode handle, const CUDA_MEMSET_NODE_PARAMS* given) {
  if (given == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const NodeParams* old = params_of(handle, CU_GRAPH_NODE_TYPE_MEMSET);
  if (old == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return set_params(handle, CU_GRAPH_NODE_TYPE_MEMSET,
                    [&](SimDevice& sim, const NodeParams*& made) {
                      return make_set_params(sim, *given, old->context->as<CUcontext>(), made);
                    });
}

}  // namespace harness::devices::calls
