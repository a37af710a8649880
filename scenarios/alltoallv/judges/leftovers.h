// SPDX-License-Identifier: Apache-2.0
// Leftovers: what a rank has open when nothing is outstanding and its process is about to close,
// and which events of peers are open when a team has gone: from the ledger of lives alone. When the
// process has closed it is too late to look: closing takes everything along.
#pragma once

#include <memory_resource>
#include <optional>
#include <vector>

#include "scenarios/alltoallv/judges/memory.h"

namespace scenarios::alltoallv {

inline constexpr harness::Label kOwnEvent{"event"};
/// An event of a peer's, opened.
inline constexpr harness::Label kOpenedEvent{"IPC event"};

/// How many of each a rank may have by then.
struct Allowance {
  std::size_t mappings = 0;     ///< Mappings of peers' memory that its cache is known to keep.
  std::size_t allocations = 0;  ///< Allocations of device memory.
  std::size_t streams = 0;
  std::size_t events = 0;      ///< its own Events.
  std::size_t ipc_events = 0;  ///< Events of peers.
};

class Leftovers {
 public:
  explicit Leftovers(harness::Scene& scene) : scene_(scene) {}
  /// Reports the first that is one too many of its kind.
  void judge(std::uint32_t rank, const Allowance& allowance);
  /// A rank has made its part of a team; `births`: those of that call.
  void team_made(std::uint32_t rank, std::uint32_t team, const Births& births);
  /// Reports an event that the rank has destroyed, as it went from the team, while something has
  /// the team's open. Looks at the first to go: what is closed by then stays so.
  void judge_team(std::uint32_t rank, std::uint32_t team);

 private:
  using Lives = std::pmr::vector<harness::BirthId>;
  void look();

  harness::Scene& scene_;
  bool looked_ = false;
  std::array<Lives, targets::alltoallv::kRankLimit> lives_;  ///< Alive when first asked, by owner.
  // Events of a team, if it was made: each rank's own, and those of peers that were opened, until
  // the first rank has gone from it.
  std::array<std::array<Lives, targets::alltoallv::kRankLimit>, targets::alltoallv::kTeamLimit>
      own_;
  std::array<Lives, targets::alltoallv::kTeamLimit> opened_;
};

}  // namespace scenarios::alltoallv
