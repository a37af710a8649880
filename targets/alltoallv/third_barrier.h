// SPDX-License-Identifier: Apache-2.0
// third_barrier: the slot is released only after all ranks have unmapped.
//
// Rationale: the slot is intact while anything reads it. True, at the cost of a round trip. The
// flaw: like unmap_before_barrier, it leaves the cache and the error paths as they are.
#pragma once

#include "targets/alltoallv/policy.h"

namespace targets::alltoallv {

class ThirdBarrier final : public Policy {
 public:
  using Policy::Policy;
  bool has_third_barrier() const override { return true; }
};

}  // namespace targets::alltoallv
