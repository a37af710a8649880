// SPDX-License-Identifier: Apache-2.0
// keep_on_definition: the Python GraphDefinition has a list of all arguments of its
// nodes.
//
// Rationale: "arguments live as long as the graph". The flaw: they live as long as that
// wrapper, but a clone or an executable may outlive it.
#pragma once

#include "targets/graph_argument/policy.h"

namespace targets::graph_argument {

class KeepOnDefinition final : public Policy {
 public:
  using Policy::Policy;

  Status commit(GraphBox& graph, harness::Object& definition, CUgraphNode node,
                const Owners& owners, Keeping* prepared) override {
    const harness::Ref kept = definition.get("kept");
    for (const harness::Ref& owner : {owners.arguments, owners.operands})
      if (owner) kept->set(kept->member_count(), owner);
    return Policy::commit(graph, definition, node, owners, prepared);
  }
};

}  // namespace targets::graph_argument
