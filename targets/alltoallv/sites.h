// SPDX-License-Identifier: Apache-2.0
// Sites: the names under which the ledger records events of a job.
#pragma once

#include "targets/alltoallv/labels.h"

namespace targets::alltoallv {

/// A rank makes its part of a team.
inline constexpr harness::Label kTeamSite{"create_team"};
/// A rank unmaps a peer's memory.
inline constexpr harness::Label kUnmapSite{"alltoallv_unmap"};
inline constexpr harness::Label kProxyUnmapSite{"alltoallv_unmap/proxy"};
/// A mapping is evicted from the cache, for one of the Reasons.
inline constexpr harness::Label kStaleSite{"map/stale"};
inline constexpr harness::Label kInTheWaySite{"map/invalidate"};
inline constexpr harness::Label kPurgeSite{"map/purge"};
/// A collective ends on a rank because of an error.
inline constexpr harness::Label kFailedSite{"collective_failed"};

/// A mapping, and one whose open failed.
inline constexpr harness::Label kRegion{"region"};
inline constexpr harness::Label kUnopenedRegion{"unopened region"};

/// Activation to which a collective's choices belong.
inline constexpr harness::Label kCollectiveActivation{"collective"};

}  // namespace targets::alltoallv
