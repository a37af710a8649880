// SPDX-License-Identifier: Apache-2.0
// ScriptBuilders: graphs by stream capture, as in cuda.core.
#pragma once

#include "targets/graph_argument/script/graph_frame.h"

namespace targets::graph_argument {

/// Ownership: in the run's arena; borrows the frame.
class ScriptBuilders : public Builders {
 public:
  explicit ScriptBuilders(GraphFrame& frame) : frame_(frame), core_(frame.core()) {}

  Status begin_building(Variable into) override;
  Status launch_captured(Variable builder, Variable module, Variable buffer) override;
  Status end_building(Variable builder) override;
  Status complete(Variable into, Variable builder) override;

 private:
  GraphFrame& frame_;
  Core& core_;
};

}  // namespace targets::graph_argument
