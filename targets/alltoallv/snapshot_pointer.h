// SPDX-License-Identifier: Apache-2.0
// snapshot_pointer: the key is saved when the memory is mapped. UCC since 886f67af (#1268, v1.9.0).
//
// Rationale: a private copy cannot be overwritten. The flaw: the key is an address. If the peer
// frees the memory and reuses the address, the key then finds a different mapping.
#pragma once

#include "targets/alltoallv/policy.h"

namespace targets::alltoallv {

class SnapshotPointer final : public Policy {
 public:
  using Policy::Policy;
  void unmap(Mappings& mappings, Side side, std::uint32_t peer) override {
    Mapping& mapping = mappings.of(side, peer);
    mappings.cache_of(peer).unmap(mapping.key, mapping, Cache::Missing::followed);
  }
};

}  // namespace targets::alltoallv
