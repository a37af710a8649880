// SPDX-License-Identifier: Apache-2.0
// ScriptNodes: nodes without graphs inside, as in cuda.core.
#pragma once

#include "targets/graph_argument/script/graph_frame.h"

namespace targets::graph_argument {

/// Ownership: in the run's arena; borrows the frame.
class ScriptNodes : public Nodes {
 public:
  explicit ScriptNodes(GraphFrame& frame) : frame_(frame), core_(frame.core()) {}

  Status add_kernel(Variable into, Variable definition, Variable module, Kernel kernel,
                    Variable first, Variable second) override;
  Status add_memcpy(Variable into, Variable definition, Variable target, Variable source) override;
  Status add_memset(Variable into, Variable definition, Variable target,
                    std::int32_t value) override;
  Status add_record(Variable into, Variable definition, Variable event) override;
  Status add_wait(Variable into, Variable definition, Variable event) override;
  Status add_callback(Variable into, Variable definition) override;
  Status add_alloc(Variable into, Variable definition) override;
  Status add_free(Variable into, Variable definition, Variable node) override;
  Status add_scratch(Variable into, Variable definition, Variable module, Variable node,
                     Variable buffer) override;
  Status set_params(Variable node, Variable first, Variable second) override;
  Status destroy_node(Variable node) override;

 private:
  Status add_event_node(Variable into, Variable definition, Variable event, Work work);
  Status add_copy_or_set(Variable into, Variable definition, Variable target, Variable source,
                         std::int32_t value);

  GraphFrame& frame_;
  Core& core_;
};

}  // namespace targets::graph_argument
