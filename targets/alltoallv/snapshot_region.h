// SPDX-License-Identifier: Apache-2.0
// snapshot_region: a task keeps a counted reference to the region, and counts are always respected.
// Ours.
//
// Meant to be sound. It holds each mapping from map to unmap, and scratch as long as the team
// exists. Its changes: stale handles, overlaps and purges only mark a region, which leaves the
// table and closes when its count is zero; a failed open is an error, never an entry. A rank on
// which an error occurs after the slot was claimed records that in its slot, waits for its own
// copies, and joins every remaining barrier; its peers fail too, in order. Each post takes its own
// number, so that a failed init leaves no gap, and no post mistakes the slot's previous use for its
// own. Slots are claimed atomically and in order. Bounded: a marked region is kept as long as the
// collectives that map it, all others as long as the process.
#pragma once

#include "targets/alltoallv/policy.h"

namespace targets::alltoallv {

class SnapshotRegion : public Policy {
 public:
  using Policy::Policy;
  void unmap(Mappings& mappings, Side side, std::uint32_t peer) override {
    mappings.cache_of(peer).unmap_region(mappings.of(side, peer));
  }
  CloseRule close_rule() const override { return CloseRule::counted; }
  bool refuses_failed_opens() const override { return true; }
  bool joins_after_error() const override { return true; }
  bool ignores_setup_errors() const override { return false; }
  bool tells_errors() const override { return true; }
  bool numbers_posts() const override { return true; }
  bool claims_in_order() const override { return true; }
  bool heeds_proxies_in_batches() const override { return true; }
  bool reads_in_stream_order() const override { return true; }
  bool leaves_teams_together() const override { return true; }
};

}  // namespace targets::alltoallv
