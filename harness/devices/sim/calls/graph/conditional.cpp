// SPDX-License-Identifier: Apache-2.0
// Conditional nodes, and the handles of conditions.
#include "harness/devices/sim/calls/graph.h"

namespace harness::devices::calls {

// ---- conditions -------------------------------------------------------------------------------

CUresult Calls::cuGraphConditionalHandleCreate(CUgraphConditionalHandle* created, CUgraph handle,
                                               CUcontext context, unsigned default_value,
                                               unsigned flags) {
  if (created == nullptr || (flags & ~unsigned{CU_GRAPH_COND_ASSIGN_DEFAULT}) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  const ChangingGraph call(sim, handle);
  if (call.graph() == nullptr) return CUDA_ERROR_INVALID_VALUE;
  // Null does not mean the current context here.
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (sim.find(sim.handles().contexts, context, "context") == nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  *created = sim.graphs()
                 .conditions()
                 .add(*call.graph(), default_value, (flags & CU_GRAPH_COND_ASSIGN_DEFAULT) != 0)
                 .handle;
  return CUDA_SUCCESS;
}

static bool is_valid(const CUDA_CONDITIONAL_NODE_PARAMS& given) {
  switch (given.type) {
    case CU_GRAPH_COND_TYPE_IF:
      return given.size == 1 || given.size == 2;
    case CU_GRAPH_COND_TYPE_WHILE:
      return given.size == 1;
    case CU_GRAPH_COND_TYPE_SWITCH:
      return given.size > 0;
  }
  return false;
}

/// Returns whether `graph` is the graph that the handle was created for, or embedded in it.
static bool belongs_to(const Graph* graph, const Graph* made_for) {
  while (graph != made_for && graph->owner != nullptr) graph = graph->owner->graph;
  return graph == made_for;
}

CUresult add_conditional(SimDevice& sim, const NewNode& wanted,
                         CUDA_CONDITIONAL_NODE_PARAMS& given) {
  if (!is_valid(given)) return CUDA_ERROR_INVALID_VALUE;
  if (given.ctx == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  return add_node(
      sim, wanted, [&](Graph& graph, std::span<const GraphEdge> edges) -> Found<GraphNode> {
        Conditional* conditional = sim.graphs().conditions().find(given.handle);
        if (conditional == nullptr || conditional->node != nullptr ||
            !belongs_to(&graph, conditional->graph))
          return CUDA_ERROR_INVALID_VALUE;
        NodeParams& params =
            sim.graphs().definitions().fresh_params(CU_GRAPH_NODE_TYPE_CONDITIONAL, "conditional");
        params.conditional = conditional;
        params.condition_type = given.type;
        GraphNode& node =
            sim.graphs().definitions().add_conditional(graph, params, given.size, edges);
        given.phGraph_out = node.body_handles.data();
        return node;
      });
}

}  // namespace harness::devices::calls
