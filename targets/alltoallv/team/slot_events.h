// SlotEvents: a rank's events, one for each slot of its team, and those of its peers, opened.
#pragma once

#include "targets/alltoallv/segment.h"

namespace targets::alltoallv {

/// Ownership: the team's; owns the events. Threads: the process's own tasks.
class SlotEvents {
 public:
  /// Gives the rank's own event of a slot, which is made on first use.
  Status find_own(std::uint32_t slot, CUevent& event);
  /// Gives a peer's event of a slot, which is opened on first use by what its entry says.
  Status find_of_peer(std::uint32_t slot, std::uint32_t peer, Entry& entry, CUevent& event);

  void close_of_peers();
  void destroy_own();

 private:
  std::array<CUevent, kSlotLimit> own_{};
  std::array<std::array<CUevent, kRankLimit>, kSlotLimit> of_peers_{};
};

}  // namespace targets::alltoallv
