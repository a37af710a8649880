// SPDX-License-Identifier: Apache-2.0
// snapshot_region_pointer: the region itself is remembered, by a raw pointer.
//
// Its author says: no look-up, so no wrong one. But code that closes a region in passing frees it.
#pragma once

#include "targets/alltoallv/policy.h"

namespace targets::alltoallv {

class SnapshotRegionPointer final : public Policy {
 public:
  using Policy::Policy;
  void unmap(Mappings& mappings, Side side, std::uint32_t peer) override {
    mappings.cache_of(peer).unmap_region(mappings.of(side, peer));
  }
};

}  // namespace targets::alltoallv
