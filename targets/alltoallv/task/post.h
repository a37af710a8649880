// SPDX-License-Identifier: Apache-2.0
// Post: one post of a request, as the parts of its collective know it: its number, and the slot
// that it uses.
#pragma once

#include "targets/alltoallv/rank.h"

namespace targets::alltoallv {

/// Ownership: its collective's, which changes it from post to post; borrows the rank.
struct Post {
  Rank& rank;
  Request request;
  Arguments arguments;
  std::uint32_t seq = 0;    ///< Number of the collective, by the rank's own count.
  std::uint32_t slot = 0;   ///< Index of the slot that it uses, of its team's.
  std::uint32_t round = 0;  ///< How often the request was posted.
  bool triggered = false;   ///< It sets up in the caller's own time.

  /// Returns the mark of its words in the slot: for code that looks on, not for the program.
  harness::Generation mark() const { return mark_of(request, round); }
  /// Returns how the program itself tells uses of slots apart: by number, and which of its posts.
  std::uint64_t use() const { return std::uint64_t{seq} | std::uint64_t{round} << 32; }
  bool copies_peers() const {
    return arguments.collective == Collective::alltoall ||
           arguments.collective == Collective::alltoallv;
  }

  Team& team() const { return rank.teams[arguments.team]; }
  /// Returns the slot as it is reported: among those of all teams.
  std::uint32_t slot_id() const { return arguments.team * kSlotLimit + slot; }
  Slot& shared_slot() const { return team().segment().slot(slot); }
  Entry& entry(std::uint32_t peer) const { return *shared_slot().entries[peer]; }
};

}  // namespace targets::alltoallv
