// SPDX-License-Identifier: Apache-2.0
// ScriptProcess: the process of a script, as in cuda.core: its beginning, its end, and its
// waits.
#pragma once

#include "targets/graph_argument/script/frame.h"

namespace targets::graph_argument {

/// Ownership: in the run's arena; borrows the frame.
class ScriptProcess : public Process {
 public:
  explicit ScriptProcess(Frame& frame) : frame_(frame), core_(frame.core()) {}

  Status init() override;
  Status collect(std::uint32_t generation) override;
  Status synchronize(StreamName stream) override;
  Status synchronize_device() override;
  Status flood_pending_calls() override;
  void wait_for_destructors(std::size_t count) override;
  void idle() override;
  Status finalize() override;
  harness::Interpreter& interpreter() override { return core_.interpreter; }

 private:
  Frame& frame_;
  Core& core_;
};

}  // namespace targets::graph_argument
