// SPDX-License-Identifier: Apache-2.0
// ScriptObjects: buffers, modules, events and streams, as in cuda.core.
#pragma once

#include "targets/graph_argument/script/frame.h"

namespace targets::graph_argument {

/// Closes the buffer of a wrapper.
Status close_now(Frame& frame, const harness::Ref& buffer);

/// Ownership: in the run's arena; borrows the frame.
class ScriptObjects : public Objects {
 public:
  explicit ScriptObjects(Frame& frame) : frame_(frame), core_(frame.core()) {}

  Status allocate(Variable into, StreamName stream, std::int32_t value) override;
  Status close_buffer(Variable buffer) override;
  Status set_deallocation_stream(Variable buffer, StreamName stream) override;
  Status link(Variable from, Variable to) override;
  Status set_attribute(Variable buffer, Variable definition) override;
  Status load_module(Variable into) override;
  Status create_event(Variable into) override;
  Status close_event(Variable event) override;
  Status record(Variable event, StreamName stream) override;
  Status close_stream() override;

 private:
  Frame& frame_;
  Core& core_;
};

}  // namespace targets::graph_argument
