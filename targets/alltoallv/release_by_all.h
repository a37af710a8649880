// SPDX-License-Identifier: Apache-2.0
// release_by_all: the last rank that is done releases the slot, instead of rank 0.
//
// Its author says: the slot stays intact while any rank reads it, and no rank waits. True. But a
// fast rank is complete before a slow one has unmapped. It may free its memory and get the address
// again, and then the key is right and the memory is not.
#pragma once

#include "targets/alltoallv/policy.h"

namespace targets::alltoallv {

class ReleaseByAll final : public Policy {
 public:
  using Policy::Policy;
  Release release() const override { return Release::by_all; }
};

}  // namespace targets::alltoallv
