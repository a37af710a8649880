// release_by_all: the slot is released by whoever is done last, instead of by rank 0.
//
// Its author says: the slot is whole while anybody reads it, and nobody waits. True; but a fast
// rank is complete before a slow one has let go, and may free its memory and get the address again:
// the key is right, and what is under it is not.
#pragma once

#include "targets/alltoallv/policy.h"

namespace targets::alltoallv {

class ReleaseByAll final : public Policy {
 public:
  using Policy::Policy;
  Release release() const override { return Release::by_all; }
};

}  // namespace targets::alltoallv
