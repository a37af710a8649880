// SPDX-License-Identifier: Apache-2.0
// One repair less: snapshot_region without one of its twelve repairs, one policy for each, so that
// a table of variants and windows shows the effect of each repair.
#pragma once

#include "targets/alltoallv/snapshot_region.h"

namespace targets::alltoallv {

/// Looks the region up again by its address at the peer, as #1268 does.
class FindByKey final : public SnapshotRegion {
 public:
  using SnapshotRegion::SnapshotRegion;
  void unmap(Mappings& mappings, Side side, std::uint32_t peer) override {
    Mapping& mapping = mappings.of(side, peer);
    mappings.cache_of(peer).unmap(mapping.key, mapping, Cache::Missing::followed);
    mapping = {};  // The next post may fail before it maps again.
  }
};

/// Closes any overlapping mapping, even one with users.
class CloseBlindly final : public SnapshotRegion {
 public:
  using SnapshotRegion::SnapshotRegion;
  CloseRule close_rule() const override { return CloseRule::blind; }
};

/// Inserts a table entry even if the open failed.
class KeepFailedOpen final : public SnapshotRegion {
 public:
  using SnapshotRegion::SnapshotRegion;
  bool refuses_failed_opens() const override { return false; }
};

/// Ends a collective on the rank where an error occurred, and skips the remaining barriers.
class LeaveOnError final : public SnapshotRegion {
 public:
  using SnapshotRegion::SnapshotRegion;
  bool joins_after_error() const override { return false; }
};

/// Joins the barriers after an error, but does not report the error to its peers.
class HideError final : public SnapshotRegion {
 public:
  using SnapshotRegion::SnapshotRegion;
  bool tells_errors() const override { return false; }
};

/// Continues a triggered post whatever the result of its set-up.
class IgnoreSetupError final : public SnapshotRegion {
 public:
  using SnapshotRegion::SnapshotRegion;
  bool ignores_setup_errors() const override { return true; }
};

/// Numbers a collective in init(), once for all its posts.
class NumberAtInit final : public SnapshotRegion {
 public:
  using SnapshotRegion::SnapshotRegion;
  bool numbers_posts() const override { return false; }
};

/// Checks whether a slot is free and claims it in two steps, and in any order.
class TakeInTwoSteps final : public SnapshotRegion {
 public:
  using SnapshotRegion::SnapshotRegion;
  bool claims_in_order() const override { return false; }
};

/// Uses a batch even if some pairs of ranks can only copy by proxy.
class BatchWithoutProxies final : public SnapshotRegion {
 public:
  using SnapshotRegion::SnapshotRegion;
  bool heeds_proxies_in_batches() const override { return false; }
};

/// Lets a batch read its sources in any order relative to earlier work on its stream.
class ReadInAnyOrder final : public SnapshotRegion {
 public:
  using SnapshotRegion::SnapshotRegion;
  bool reads_in_stream_order() const override { return false; }
};

/// Lets a ring wait only for the writers of its data, not for pending readers.
class OverwriteHalf final : public SnapshotRegion {
 public:
  using SnapshotRegion::SnapshotRegion;
  bool waits_for_readers() const override { return false; }
};

/// Leaves a team without waiting for peers that still have its scratch mapped.
class LeaveTeamAtOnce final : public SnapshotRegion {
 public:
  using SnapshotRegion::SnapshotRegion;
  bool leaves_teams_together() const override { return false; }
};

}  // namespace targets::alltoallv
