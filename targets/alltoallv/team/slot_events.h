// SPDX-License-Identifier: Apache-2.0
// SlotEvents: a rank's events, one for each slot of its team, and those of its peers, opened.
#pragma once

#include "targets/alltoallv/segment.h"

namespace targets::alltoallv {

/// Ownership: the team's; owns the events. Threads: the process's own tasks.
/// Errors: none; a call that fails is made again, as where a team is made.
class SlotEvents {
 public:
  /// Returns the rank's own event of a slot: made, and its handle told in its entry, when first
  /// asked for.
  CUevent own(std::uint32_t slot, Entry& entry);
  /// Returns a peer's event of a slot: opened by what its entry tells when first asked for.
  CUevent of_peer(std::uint32_t slot, std::uint32_t peer, Entry& entry);

  void close_of_peers();
  void destroy_own();

 private:
  std::array<CUevent, kSlotLimit> own_{};
  std::array<std::array<CUevent, kRankLimit>, kSlotLimit> of_peers_{};
};

}  // namespace targets::alltoallv
