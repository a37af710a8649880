// SPDX-License-Identifier: Apache-2.0
// retain_forever: all owners ever passed to a node are added to a list of the module, from which
// nothing is removed.
//
// Rationale: "nothing can dangle". True. The flaw: everything leaks.
#pragma once

#include "targets/graph_argument/retain_per_node.h"

namespace targets::graph_argument {

class RetainForever final : public RetainPerNode {
 public:
  using RetainPerNode::RetainPerNode;

  Status commit(GraphBox& graph, harness::Object& definition, CUgraphNode node,
                const Owners& owners, Keeping* prepared) override {
    kept_.push_back(owners);
    return RetainPerNode::commit(graph, definition, node, owners, prepared);
  }
  void prepare_update(ExecBox& exec, const Owners& owners) override {
    kept_.push_back(owners);
    RetainPerNode::prepare_update(exec, owners);
  }

 private:
  std::pmr::vector<Owners> kept_;
};

}  // namespace targets::graph_argument
