// SPDX-License-Identifier: Apache-2.0
// gil_kept: like retain_per_node, but CUDA calls that do not wait keep the GIL, as in bindings that
// forget `with nogil`. cuda-python#1065; numba-cuda#317 and #321 warn of it.
//
// Rationale: "the calls are short". The flaw: a host function needs the GIL, and CUDA may call it
// with its own lock held. Then the thread with the GIL waits for CUDA's lock in its call, and the
// function, which runs under that lock, waits for the GIL.
#pragma once

#include "targets/graph_argument/retain_per_node.h"

namespace targets::graph_argument {

class GilKept final : public RetainPerNode {
 public:
  using RetainPerNode::RetainPerNode;
  bool keeps_gil() const override { return true; }
};

}  // namespace targets::graph_argument
