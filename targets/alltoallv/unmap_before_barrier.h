// unmap_before_barrier: a rank lets go as soon as its own copies are done, before it says so.
//
// Its author says: until the barrier the slot is nobody else's, and the peer's memory cannot go.
// True, and it needs no copy of the key; but the cache still closes what others hold, and a rank on
// which something fails still leaves everybody else waiting.
#pragma once

#include "targets/alltoallv/policy.h"

namespace targets::alltoallv {

class UnmapBeforeBarrier final : public Policy {
 public:
  using Policy::Policy;
  bool unmaps_before_barrier() const override { return true; }
};

}  // namespace targets::alltoallv
