// SPDX-License-Identifier: Apache-2.0
// GraphFrame: the environment of methods of graphs: a frame whose C calls run one at a time.
#pragma once

#include "targets/graph_argument/script/frame.h"
#include "targets/graph_argument/script/graph_lock.h"

namespace targets::graph_argument {

/// Ownership: like a frame.
class GraphFrame : public Frame {
 public:
  explicit GraphFrame(Core& core) : Frame(core), lock_(core.interpreter, core.scheduler) {}

  /// Makes a C call that works on graphs.
  template <class Function>
  Status c_call(harness::Label name, Function function) {
    return Frame::c_call(name, [&] {
      const GraphLock::Hold hold(lock_);
      return function();
    });
  }

 private:
  GraphLock lock_;
};

}  // namespace targets::graph_argument
