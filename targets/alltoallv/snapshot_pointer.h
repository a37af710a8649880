// SPDX-License-Identifier: Apache-2.0
// snapshot_pointer: the key is remembered when it is mapped. UCC since 886f67af (#1268, v1.9.0).
//
// Its author says: a private copy cannot be overwritten. True; but the key is an address, and when
// the peer has freed the memory and got the address again, another mapping is under it by then.
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
