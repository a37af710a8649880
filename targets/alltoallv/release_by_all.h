// SPDX-License-Identifier: Apache-2.0
// release_by_all: the last rank to finish releases the slot, instead of rank 0.
//
// Rationale: the slot stays intact while any rank reads it, and no rank waits. The flaw: a fast
// rank completes before a slow one has unmapped. If it frees its memory and a new allocation gets
// the same address, the key is right but the memory is not.
#pragma once

#include "targets/alltoallv/policy.h"

namespace targets::alltoallv {

class ReleaseByAll final : public Policy {
 public:
  using Policy::Policy;
  Release release() const override { return Release::by_all; }
};

}  // namespace targets::alltoallv
