// SPDX-License-Identifier: Apache-2.0
// ignore_missing: like reread_slot, but a key that the cache does not know is ignored.
//
// Rationale: this avoids the crash. The flaw: the mapping that was meant stays counted for ever,
// and a stale key that the cache does know still steals a count.
#pragma once

#include "targets/alltoallv/policy.h"

namespace targets::alltoallv {

class IgnoreMissing final : public Policy {
 public:
  using Policy::Policy;
  void unmap(Mappings& mappings, Side side, std::uint32_t peer) override {
    mappings.cache_of(peer).unmap(reread_key(mappings, side, peer), mappings.of(side, peer),
                                  Cache::Missing::ignored);
  }
};

}  // namespace targets::alltoallv
