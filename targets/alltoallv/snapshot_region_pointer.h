// SPDX-License-Identifier: Apache-2.0
// snapshot_region_pointer: a task keeps a raw pointer to the region.
//
// Rationale: without a look-up, none can be wrong. The flaw: an eviction frees the region.
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
