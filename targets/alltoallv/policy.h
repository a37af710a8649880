// Policy: what a rank keeps between mapping a peer's memory and letting it go, and who may have the
// slot meanwhile. One per variant; what this base does is what UCC 1.2 to 1.8 does.
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
  /// Whether a triggered post whose set-up failed goes on as if it had not.
  virtual bool ignores_setup_errors() const { return true; }
  /// Whether it says so in its part of the slot, for its peers to end with an error, too.
  virtual bool tells_errors() const { return false; }
  /// Whether each post takes a number, and not each collective once for all its posts.
  virtual bool numbers_posts() const { return false; }
  /// Whether rank 0 looks and claims in one step, and the collectives of a slot in turn.
  virtual bool claims_in_order() const { return false; }
  /// Whether a ring writes a half of scratch only when all who read it have. Upstream's does.
  virtual bool waits_for_readers() const { return true; }
  /// Whether copies are no batch where a pair of ranks has a proxy.
  virtual bool heeds_proxies_in_batches() const { return false; }
  /// Whether a batch reads its sources in the order of its stream, and not in any.
  virtual bool reads_in_stream_order() const { return false; }
  /// Whether the ranks of a team wait for each other before it goes: nobody frees what others map.
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
