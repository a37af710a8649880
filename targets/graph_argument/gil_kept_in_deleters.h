// SPDX-License-Identifier: Apache-2.0
// gil_kept_in_deleters: like retain_per_node, but deleters keep the GIL (rapidsai/rmm#2026: no
// GILReleaseGuard), and the destructor of a user object takes it, as in cuda-python#2041.
//
// Rationale: "every call that is written out releases it". The flaw: CUDA may run a destructor
// inside the call that released the last reference (cuda-python#2042), on that thread and with its
// lock held. The destructor waits for the GIL, while the thread with the GIL waits for CUDA's lock
// in a deleter.
#pragma once

#include "targets/graph_argument/retain_per_node.h"

namespace targets::graph_argument {

class GilKeptInDeleters final : public RetainPerNode {
 public:
  using RetainPerNode::RetainPerNode;
  bool destructors_take_gil() const override { return true; }
  void release(Garbage garbage) override {
    const harness::Interpreter::Kept kept(core_.interpreter);
    RetainPerNode::release(std::move(garbage));
  }
};

}  // namespace targets::graph_argument
