// SPDX-License-Identifier: Apache-2.0
// ScriptDefinitions: definitions, and the graphs inside their nodes, as in cuda.core.
#pragma once

#include "targets/graph_argument/script/graph_frame.h"

namespace targets::graph_argument {

/// Ownership: in the run's arena; borrows the frame.
class ScriptDefinitions : public Definitions {
 public:
  explicit ScriptDefinitions(GraphFrame& frame) : frame_(frame), core_(frame.core()) {}

  Status create_definition(Variable into) override;
  Status clone(Variable into, Variable definition) override;
  Status add_child(Variable into, Variable definition, Variable child) override;
  Status get_child(Variable into, Variable node) override;
  Status add_conditional(Variable into, Variable definition, Condition condition,
                         std::uint32_t branch, Variable module) override;
  Status get_branch(Variable into, Variable node, std::uint32_t branch) override;

 private:
  GraphFrame& frame_;
  Core& core_;
};

}  // namespace targets::graph_argument
