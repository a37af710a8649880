// SPDX-License-Identifier: Apache-2.0
// ScriptGlobals: the global variables, of any type, as in cuda.core.
#pragma once

#include "targets/graph_argument/script/frame.h"

namespace targets::graph_argument {

/// Ownership: in the run's arena; borrows the frame.
class ScriptGlobals : public Globals {
 public:
  explicit ScriptGlobals(Frame& frame) : frame_(frame), core_(frame.core()) {}

  Status alias(Variable into, Variable from) override;
  Status drop(Variable variable) override;
  Status drop_all(bool graphs) override;
  Status make_cycle(Variable variable) override;
  Status plant(FinalizerAction action, Variable victim) override;
  Kind kind(Variable variable) const override;
  NodeKind node_kind(Variable variable) const override;
  bool is_capturing(Variable variable) const override;

 private:
  Frame& frame_;
  Core& core_;
};

}  // namespace targets::graph_argument
