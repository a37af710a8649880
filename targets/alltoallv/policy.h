// SPDX-License-Identifier: Apache-2.0
// Policy: defines what a rank keeps between mapping and unmapping a peer's memory, and who may use
// the slot in between. One per variant; this base class behaves as UCC 1.2 to 1.8.
#pragma once

#include "targets/alltoallv/task/mappings.h"

namespace targets::alltoallv {

/// Selects who frees the slot for the next collective.
enum class Release : std::uint8_t { by_rank_0, by_all };

/// Ownership: in the run's arena, one per job. Threads: those of the calling tasks.
class Policy {
 public:
  explicit Policy(Core& core) : core_(core) {}
  virtual ~Policy() = default;

  /// Releases a task's mapping of `peer`'s memory.
  virtual void unmap(Mappings& mappings, Side side, std::uint32_t peer);

  /// Returns whether a rank unmaps before the completion barrier, once its own copies are done.
  virtual bool unmaps_before_barrier() const { return false; }
  /// Returns whether a third barrier precedes the release of the slot.
  virtual bool has_third_barrier() const { return false; }
  virtual Release release() const { return Release::by_rank_0; }
  virtual CloseRule close_rule() const { return CloseRule::blind; }
  /// Returns whether a failed open (other than "already mapped") is an error and adds no entry.
  virtual bool refuses_failed_opens() const { return false; }
  /// Returns whether a rank still joins the barriers and releases the slot after an error.
  virtual bool joins_after_error() const { return false; }
  /// Returns whether a triggered post continues although its set-up failed.
  virtual bool ignores_setup_errors() const { return true; }
  /// Returns whether a failed rank says so in its part of the slot, so that its peers fail, too.
  virtual bool tells_errors() const { return false; }
  /// Returns whether each post takes a new number. If not, a collective has one for all its posts.
  virtual bool numbers_posts() const { return false; }
  /// Returns whether rank 0 checks and claims a slot in one step, and in the order of the posts.
  virtual bool claims_in_order() const { return false; }
  /// Returns whether a ring writes a half of scratch only after all its readers are done, as in
  /// upstream.
  virtual bool waits_for_readers() const { return true; }
  /// Returns whether copies are issued one by one if a pair of ranks has a proxy.
  virtual bool heeds_proxies_in_batches() const { return false; }
  /// Returns whether a batch reads its sources in stream order.
  virtual bool reads_in_stream_order() const { return false; }
  /// Returns whether all ranks wait for each other before a team is destroyed, so that no rank
  /// frees memory that others have mapped.
  virtual bool leaves_teams_together() const { return false; }
  /// Returns whether each use of a slot is tagged with its collective.
  virtual bool tags_slots() const { return false; }

 protected:
  /// Reads the key from the peer's slot.
  static CUdeviceptr reread_key(const Mappings& mappings, Side side, std::uint32_t peer);
  static harness::SharedSlot<MemInfo>& info_of(Entry& entry, Side side);

  Core& core_;
};

}  // namespace targets::alltoallv
