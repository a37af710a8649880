// SPDX-License-Identifier: Apache-2.0
// unmap_before_barrier: a rank unmaps when its own copies are done, before it enters the barrier.
//
// Rationale: until the barrier no other use can have the slot, and the peer's memory cannot be
// freed. True, and it needs no copy of the key. The flaw: the cache still closes mappings that are
// in use, and a rank on which an error occurs still leaves all others waiting.
#pragma once

#include "targets/alltoallv/policy.h"

namespace targets::alltoallv {

class UnmapBeforeBarrier final : public Policy {
 public:
  using Policy::Policy;
  bool unmaps_before_barrier() const override { return true; }
};

}  // namespace targets::alltoallv
