// SPDX-License-Identifier: Apache-2.0
// Leftovers: objects that a rank has open when nothing is outstanding and its process is about to
// close, and events of peers that are open when a team is gone, from the ledger alone. After the
// process has closed it is too late: closing it destroys everything.
#pragma once

#include "scenarios/alltoallv/model/births.h"

namespace scenarios::alltoallv {

/// Reports an object that outlived its last possible use.
void retain(harness::Scene& scene, BirthId life, std::string why);

/// Ownership: owned by the judge; borrows the scene and the state. Threads: the run's.
class Leftovers {
 public:
  Leftovers(harness::Scene& scene, const State& state) : scene_(scene), state_(state) {}
  /// Reports the first object of each kind beyond what the rank may have at that point.
  void judge(std::uint32_t rank);
  /// A rank has made its part of a team. `births`: births during that call.
  void team_made(std::uint32_t rank, std::uint32_t team, const Births& births);
  /// Reports an event that the rank destroyed when it left the team, while a peer has a handle of
  /// it open. Checks only the first rank to leave: handles that are closed by then stay closed.
  void judge_team(std::uint32_t rank, std::uint32_t team);

 private:
  using Lives = std::pmr::vector<BirthId>;
  void look();
  std::size_t stream_limit() const;

  harness::Scene& scene_;
  const State& state_;
  bool looked_ = false;
  ByRank<Lives> lives_;  ///< By owner, at the first judge().
  // Events of a team that was made: each rank's own, and opened handles of peers' events. Cleared
  // when the first rank has left it.
  std::array<ByRank<Lives>, targets::alltoallv::kTeamLimit> own_;
  std::array<Lives, targets::alltoallv::kTeamLimit> opened_;
};

}  // namespace scenarios::alltoallv
