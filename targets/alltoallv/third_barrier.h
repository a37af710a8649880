// SPDX-License-Identifier: Apache-2.0
// third_barrier: all waits until all has unmapped, and only then is the slot released.
//
// Its author says: the slot is whole while anything reads it. True, at the price of a round trip;
// as unmap_before_barrier, it leaves the cache and the error paths as they are.
#pragma once

#include "targets/alltoallv/policy.h"

namespace targets::alltoallv {

class ThirdBarrier final : public Policy {
 public:
  using Policy::Policy;
  bool has_third_barrier() const override { return true; }
};

}  // namespace targets::alltoallv
