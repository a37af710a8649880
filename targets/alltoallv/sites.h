// SPDX-License-Identifier: Apache-2.0
// Sites: the names under which the ledger records events of a job.
#pragma once

#include "targets/alltoallv/labels.h"

namespace targets::alltoallv {

/// Making a rank's part of a team.
inline constexpr harness::Label kTeamSite{"create_team"};
/// Releasing a peer's memory.
inline constexpr harness::Label kUnmapSite{"alltoallv_unmap"};
inline constexpr harness::Label kProxyUnmapSite{"alltoallv_unmap/proxy"};
/// Removing a mapping from the cache, by Reason.
inline constexpr harness::Label kStaleSite{"map/stale"};
inline constexpr harness::Label kInTheWaySite{"map/invalidate"};
inline constexpr harness::Label kPurgeSite{"map/purge"};
/// A rank on which something failed, and which just ends.
inline constexpr harness::Label kFailedSite{"collective_failed"};

/// A mapping; and one that was never opened.
inline constexpr harness::Label kRegion{"region"};
inline constexpr harness::Label kUnopenedRegion{"unopened region"};

/// The activation of a collective's choices, caused by the call that made it.
inline constexpr harness::Label kCollectiveActivation{"collective"};

}  // namespace targets::alltoallv
