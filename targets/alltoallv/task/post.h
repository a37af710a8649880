// SPDX-License-Identifier: Apache-2.0
// Post: one post of a request, for the parts of its collective: its number, and the slot that it
// uses.
#pragma once

#include "targets/alltoallv/rank.h"

namespace targets::alltoallv {

/// Ownership: owned by its collective, which updates it for each post; borrows the rank.
struct Post {
  Rank& rank;
  Request request;
  Arguments arguments;
  std::uint32_t seq = 0;    ///< Number of the collective, by the rank's own count.
  std::uint32_t slot = 0;   ///< Index of its slot in the team.
  std::uint32_t round = 0;  ///< Number of times the request was posted.
  bool triggered = false;   ///< Its set-up runs in the caller's task.

  /// Returns the tag of its words in the slot. For observers, not for the program.
  harness::Generation mark() const { return mark_of(request, round); }
  /// Returns the program's own tag of this use of a slot: its number and its round.
  std::uint64_t use() const { return std::uint64_t{seq} | std::uint64_t{round} << 32; }
  bool copies_peers() const {
    return arguments.collective == Collective::alltoall ||
           arguments.collective == Collective::alltoallv;
  }

  Team& team() const { return rank.teams[arguments.team]; }
  /// Returns the slot's id in facts, which is unique among all teams.
  std::uint32_t slot_id() const { return arguments.team * kSlotLimit + slot; }
  Slot& shared_slot() const { return team().segment().slot(slot); }
  Entry& entry(std::uint32_t peer) const { return *shared_slot().entries[peer]; }
};

}  // namespace targets::alltoallv
