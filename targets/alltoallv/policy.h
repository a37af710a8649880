// SPDX-License-Identifier: Apache-2.0
// Policy: what a rank keeps between mapping a peer's memory and unmapping it, and who may have the
// slot meanwhile. One for each variant; this base class behaves as UCC 1.2 to 1.8.
#pragma once

#include "targets/alltoallv/task/mappings.h"

namespace targets::alltoallv {

/// When the slot is the next collective's.
enum class Release : std::uint8_t { by_rank_0, by_all };

/// Ownership: in the run's arena, one per job. Threads: as the tasks that ask.
class Policy {
 public:
  explicit Policy(Core& core) : core_(core) {}
  virtual ~Policy() = default;

  /// Lets go of what a task mapped of `peer`.
  virtual void unmap(Mappings& mappings, Side side, std::uint32_t peer);

  /// Whether that happens before the completion barrier, when the rank's own copies are done.
  virtual bool unmaps_before_barrier() const { return false; }
  /// Whether another barrier follows, before the slot is released.
  virtual bool has_third_barrier() const { return false; }
  virtual Release release() const { return Release::by_rank_0; }
  virtual CloseRule close_rule() const { return CloseRule::blind; }
  /// Whether an open that fails for another reason than "already mapped" is an error, and no entry.
  virtual bool refuses_failed_opens() const { return false; }
  /// Whether a rank on which something failed still joins the barriers and releases the slot.
  virtual bool joins_after_error() const { return false; }
  /// Returns whether a triggered post continues although its set-up failed.
  virtual bool ignores_setup_errors() const { return true; }
  /// Whether it says so in its part of the slot, for its peers to end with an error, too.
  virtual bool tells_errors() const { return false; }
  /// Whether each post takes a number, and not each collective once for all its posts.
  virtual bool numbers_posts() const { return false; }
  /// Whether rank 0 looks and claims in one step, and the collectives of a slot in turn.
  virtual bool claims_in_order() const { return false; }
  /// Returns whether a ring writes a half of scratch only after all readers are done, as upstream's
  /// does.
  virtual bool waits_for_readers() const { return true; }
  /// Returns whether copies are not a batch if a pair of ranks has a proxy.
  virtual bool heeds_proxies_in_batches() const { return false; }
  /// Whether a batch reads its sources in the order of its stream, and not in any.
  virtual bool reads_in_stream_order() const { return false; }
  /// Returns whether the ranks of a team wait for each other before it goes, so that no rank frees
  /// what others have mapped.
  virtual bool leaves_teams_together() const { return false; }
  /// Whether each use of a slot is tagged with its collective.
  virtual bool tags_slots() const { return false; }

 protected:
  /// Returns the key as the peer's slot has it now.
  static CUdeviceptr reread_key(const Mappings& mappings, Side side, std::uint32_t peer);
  static harness::SharedSlot<MemInfo>& info_of(Entry& entry, Side side);

  Core& core_;
};

}  // namespace targets::alltoallv
