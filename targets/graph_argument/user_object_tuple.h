// SPDX-License-Identifier: Apache-2.0
// user_object_tuple: the tuple of a kernel's arguments becomes another user object, whose
// destructor takes the GIL and drops the reference. cuda-python#2041.
//
// Rationale: "kernel arguments are alive through execution". True, in clones and executables,
// too. The flaw: not of copies and sets, nor of updates of an executable's node; and the
// destructor frees memory on CUDA's thread, where CUDA must not be called, even after
// Py_Finalize.
#pragma once

#include "targets/graph_argument/policy.h"

namespace targets::graph_argument {

class UserObjectTuple final : public Policy {
 public:
  using Policy::Policy;

  Status commit(GraphBox& graph, harness::Object& definition, CUgraphNode node,
                const Owners& owners, Keeping* prepared) override {
    const Status status = Policy::commit(graph, definition, node, owners, prepared);
    return status == Status::ok ? attach(graph.graph, owners.arguments) : status;
  }
};

}  // namespace targets::graph_argument
