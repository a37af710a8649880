// SPDX-License-Identifier: Apache-2.0
// Leftovers: objects that a rank has open when nothing is outstanding and its process is about to
// close, and events of peers that are open when a team is gone, from the ledger alone. After the
// process has closed it is too late: closing it destroys everything.
#pragma once

#include <memory_resource>
#include <optional>
#include <vector>

#include "scenarios/alltoallv/judges/memory.h"

namespace scenarios::alltoallv {

inline constexpr harness::Label kOwnEvent{"event"};
/// Kind of an opened event of a peer.
inline constexpr harness::Label kOpenedEvent{"IPC event"};

/// Maximum numbers of objects that a rank may have at that point.
struct Allowance {
  std::size_t mappings = 0;     ///< Mappings that its cache is known to keep.
  std::size_t allocations = 0;  ///< Allocations of device memory.
  std::size_t streams = 0;
  std::size_t events = 0;      ///< Its own events.
  std::size_t ipc_events = 0;  ///< Events of peers.
};

class Leftovers {
 public:
  explicit Leftovers(harness::Scene& scene) : scene_(scene) {}
  /// Reports the first object beyond the allowance of each kind.
  void judge(std::uint32_t rank, const Allowance& allowance);
  /// A rank has made its part of a team. `births`: births during that call.
  void team_made(std::uint32_t rank, std::uint32_t team, const Births& births);
  /// Reports an event that the rank destroyed when it left the team, while a peer has a handle of
  /// it open. Checks only the first rank to leave: handles that are closed by then stay closed.
  void judge_team(std::uint32_t rank, std::uint32_t team);

 private:
  using Lives = std::pmr::vector<harness::BirthId>;
  void look();

  harness::Scene& scene_;
  bool looked_ = false;
  std::array<Lives, targets::alltoallv::kRankLimit> lives_;  ///< By owner, at the first judge().
  // Events of a team that was made: each rank's own, and opened handles of peers' events. Cleared
  // when the first rank has left it.
  std::array<std::array<Lives, targets::alltoallv::kRankLimit>, targets::alltoallv::kTeamLimit>
      own_;
  std::array<Lives, targets::alltoallv::kTeamLimit> opened_;
};

}  // namespace scenarios::alltoallv
