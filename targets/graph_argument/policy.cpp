// SPDX-License-Identifier: Apache-2.0
#include "targets/graph_argument/policy.h"

namespace targets::graph_argument {

CUresult Policy::create_user_object(CUgraph graph, void* payload, CUhostFn destroy, bool& created) {
  CUuserObject object = nullptr;
  CUresult result =
      cuUserObjectCreate(&object, payload, destroy, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
  created = result == CUDA_SUCCESS;
  if (!created) return result;
  result = cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE);
  if (result != CUDA_SUCCESS) cuUserObjectRelease(object, 1);
  return result;
}

// Attaches kernels, events and functions; not kernel arguments, or operands of copies and sets.
Status Policy::commit(GraphBox& graph, harness::Object&, CUgraphNode, const Owners& owners,
                      Keeping*) {
  Status status = attach(graph.graph, owners.module);
  if (status == Status::ok) status = attach(graph.graph, owners.event);
  if (status == Status::ok) status = attach(graph.graph, owners.function);
  return status;
}

}  // namespace targets::graph_argument
