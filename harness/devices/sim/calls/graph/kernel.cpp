// SPDX-License-Identifier: Apache-2.0
// Nodes that launch a kernel.
#include "harness/devices/sim/calls/graph.h"

namespace harness::devices::calls {

CUresult Calls::cuGraphAddKernelNode_v2(CUgraphNode* created, CUgraph graph,
                                        const CUgraphNode* after, size_t after_count,
                                        const CUDA_KERNEL_NODE_PARAMS* given) {
  if (given == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add_params(sim, {created, graph, CU_GRAPH_NODE_TYPE_KERNEL, after, nullptr, after_count},
                    [&] { return make_kernel_params(sim, *given); });
}

CUresult Calls::cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* params) {
  const NodeParams* found = params_of(sim, node, CU_GRAPH_NODE_TYPE_KERNEL);
  if (params == nullptr || found == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *params = found->kernel;
  return CUDA_SUCCESS;
}

CUresult Calls::cuGraphKernelNodeSetParams_v2(CUgraphNode node,
                                              const CUDA_KERNEL_NODE_PARAMS* given) {
  if (given == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return set_params(sim, node, CU_GRAPH_NODE_TYPE_KERNEL,
                    [&] { return make_kernel_params(sim, *given); });
}

// ---- attributes -------------------------------------------------------------------------------

static bool is_kernel(const GraphNode* node) {
  return node != nullptr && node->params->type == CU_GRAPH_NODE_TYPE_KERNEL;
}

CUresult Calls::cuGraphKernelNodeGetAttribute(CUgraphNode handle, CUkernelNodeAttrID id,
                                              CUkernelNodeAttrValue* value) {
  if (value == nullptr || !is_node_attribute(id)) return CUDA_ERROR_INVALID_VALUE;
  const GraphNode* node = look_at(sim, handle);
  if (!is_kernel(node)) return CUDA_ERROR_INVALID_VALUE;
  *value = node->attributes->values[id];
  return CUDA_SUCCESS;
}

CUresult Calls::cuGraphKernelNodeSetAttribute(CUgraphNode handle, CUkernelNodeAttrID id,
                                              const CUkernelNodeAttrValue* value) {
  if (value == nullptr || !is_node_attribute(id)) return CUDA_ERROR_INVALID_VALUE;
  const ChangingGraph call(sim, handle);
  if (!is_kernel(call.node())) return CUDA_ERROR_INVALID_VALUE;
  const CUlaunchConfig config = config_of(call.node()->params->kernel);
  // A launch checks this policy, but a node accepts any value.
  if (id != CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE)
    if (const CUresult error = check_attribute(id, *value, config); error != CUDA_SUCCESS)
      return error;
  KernelAttributes& made = sim.graphs().definitions().fresh_attributes(*call.node()->attributes);
  made.values[id] = *value;
  if (!fit(made, *call.node()->params)) return CUDA_ERROR_INVALID_VALUE;
  call.node()->attributes = &made;
  return CUDA_SUCCESS;
}

CUresult Calls::cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
  const ChangingGraph call(sim, to);
  if (!is_kernel(call.node())) return CUDA_ERROR_INVALID_VALUE;
  const GraphNode* source = look_at(sim, from);
  if (!is_kernel(source) || source->params->context != call.node()->params->context)
    return CUDA_ERROR_INVALID_VALUE;
  if (!fit(*source->attributes, *call.node()->params)) return CUDA_ERROR_INVALID_VALUE;
  call.node()->attributes = source->attributes;
  return CUDA_SUCCESS;
}

}  // namespace harness::devices::calls
