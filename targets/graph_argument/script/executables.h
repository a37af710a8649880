// SPDX-License-Identifier: Apache-2.0
// ScriptExecutables: executables, as in cuda.core: how they are made, launched, updated and
// closed.
#pragma once

#include "targets/graph_argument/script/graph_frame.h"

namespace targets::graph_argument {

/// Ownership: in the run's arena; borrows the frame.
class ScriptExecutables : public Executables {
 public:
  explicit ScriptExecutables(GraphFrame& frame) : frame_(frame), core_(frame.core()) {}

  Status instantiate(Variable into, Variable definition) override;
  Status upload(Variable graph, StreamName stream) override;
  Status launch(Variable graph, StreamName stream) override;
  Status update_node(Variable graph, Variable node, Variable first, Variable second) override;
  Status update(Variable graph, Variable definition) override;
  Status close_graph(Variable graph) override;

 private:
  GraphFrame& frame_;
  Core& core_;
};

}  // namespace targets::graph_argument
