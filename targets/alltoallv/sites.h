// Sites: names of what the ledger records of a job, for those who tell where something happened.
#pragma once

#include "targets/alltoallv/labels.h"

namespace targets::alltoallv {

/// Whoever makes a rank's part of a team.
inline constexpr harness::Label kTeamSite{"create_team"};
/// Whoever lets go of a peer's memory.
inline constexpr harness::Label kUnmapSite{"alltoallv_unmap"};
inline constexpr harness::Label kProxyUnmapSite{"alltoallv_unmap/proxy"};
/// Whoever throws a mapping out of the cache, by Reason.
inline constexpr harness::Label kStaleSite{"map/stale"};
inline constexpr harness::Label kInTheWaySite{"map/invalidate"};
inline constexpr harness::Label kPurgeSite{"map/purge"};
/// A rank on which something failed, and which just ends.
inline constexpr harness::Label kFailedSite{"collective_failed"};

/// A mapping; and one that was never opened.
inline constexpr harness::Label kRegion{"region"};
inline constexpr harness::Label kUnopenedRegion{"unopened region"};

/// The activation in which a collective asks, caused by the call that made it.
inline constexpr harness::Label kCollectiveActivation{"collective"};

}  // namespace targets::alltoallv
