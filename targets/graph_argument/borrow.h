// SPDX-License-Identifier: Apache-2.0
// borrow: a kernel node's arguments are copied as values, and the objects behind them are not kept.
// cuda.core 0.7.0, with the calls of that version only: copies and sets take addresses as numbers,
// nodes are destroyed but not changed, executables are updated as a whole.
//
// Rationale: "the driver copies the argument values". The flaw: the values are addresses. The
// policy holds kernels, events and host functions by user objects whose destructors release them on
// CUDA's own thread.
#pragma once

#include "targets/graph_argument/policy.h"

namespace targets::graph_argument {

class Borrow final : public Policy {
 public:
  using Policy::Policy;
  static constexpr Api kApi{.takes_operands = false,
                            .changes_nodes = false,
                            .changes_executables = false,
                            .clones = false,
                            .moves_deallocation = false};
};

}  // namespace targets::graph_argument
