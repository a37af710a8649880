// SPDX-License-Identifier: Apache-2.0
// One repair less: snapshot_region without one of its twelve repairs, a policy each, so that a
// table of variants and windows says what each repair is worth.
#pragma once

#include "targets/alltoallv/snapshot_region.h"

namespace targets::alltoallv {

/// Finds the region again by the address that the peer had it at, as #1268 does.
class FindByKey final : public SnapshotRegion {
 public:
  using SnapshotRegion::SnapshotRegion;
  void unmap(Mappings& mappings, Side side, std::uint32_t peer) override {
    Mapping& mapping = mappings.of(side, peer);
    mappings.cache_of(peer).unmap(mapping.key, mapping, Cache::Missing::followed);
    mapping = {};  // The next post may fail before it maps again.
  }
};

/// Closes any mapping that is in the way, even with users.
class CloseBlindly final : public SnapshotRegion {
 public:
  using SnapshotRegion::SnapshotRegion;
  CloseRule close_rule() const override { return CloseRule::blind; }
};

/// Keeps an entry of what failed to open.
class KeepFailedOpen final : public SnapshotRegion {
 public:
  using SnapshotRegion::SnapshotRegion;
  bool refuses_failed_opens() const override { return false; }
};

/// Ends a collective on the rank on which something failed, and joins no barrier any more.
class LeaveOnError final : public SnapshotRegion {
 public:
  using SnapshotRegion::SnapshotRegion;
  bool joins_after_error() const override { return false; }
};

/// Joins the barriers after an error, but does not tell its peers.
class HideError final : public SnapshotRegion {
 public:
  using SnapshotRegion::SnapshotRegion;
  bool tells_errors() const override { return false; }
};

/// Sets a triggered post up, and continues whatever the result.
class IgnoreSetupError final : public SnapshotRegion {
 public:
  using SnapshotRegion::SnapshotRegion;
  bool ignores_setup_errors() const override { return true; }
};

/// Numbers a collective when it is made, once for all its posts.
class NumberAtInit final : public SnapshotRegion {
 public:
  using SnapshotRegion::SnapshotRegion;
  bool numbers_posts() const override { return false; }
};

/// Looks whether a slot is free, then takes it: in two steps, and in any order.
class TakeInTwoSteps final : public SnapshotRegion {
 public:
  using SnapshotRegion::SnapshotRegion;
  bool claims_in_order() const override { return false; }
};

/// Copies in a batch, whether or not ranks reach each other.
class BatchWithoutProxies final : public SnapshotRegion {
 public:
  using SnapshotRegion::SnapshotRegion;
  bool heeds_proxies_in_batches() const override { return false; }
};

/// Lets a batch read its sources in any order, whatever its stream holds before.
class ReadInAnyOrder final : public SnapshotRegion {
 public:
  using SnapshotRegion::SnapshotRegion;
  bool reads_in_stream_order() const override { return false; }
};

/// A ring waits only for the writers of its data, not for those that still read.
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
