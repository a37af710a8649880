// SPDX-License-Identifier: Apache-2.0
// SlotEvents: a rank's events, one per slot of its team, and its peers' events, opened here.
#pragma once

#include "targets/alltoallv/segment.h"

namespace targets::alltoallv {

/// Ownership: owned by the team; owns the events. Threads: the process's own tasks.
/// Errors: none; a call that fails is retried, as when a team is made.
class SlotEvents {
 public:
  /// Returns the rank's own event of a slot. The first call creates it and writes its handle into
  /// the entry.
  CUevent own(std::uint32_t slot, Entry& entry);
  /// Returns a peer's event of a slot. The first call opens it by the handle in the entry.
  CUevent of_peer(std::uint32_t slot, std::uint32_t peer, Entry& entry);

  void close_of_peers();
  void destroy_own();

 private:
  std::array<CUevent, kSlotLimit> own_{};
  std::array<std::array<CUevent, kRankLimit>, kSlotLimit> of_peers_{};
};

}  // namespace targets::alltoallv
