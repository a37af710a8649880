// SPDX-License-Identifier: Apache-2.0
// Observer: receives the facts of a job as it runs, whatever the policy.
#pragma once

#include "targets/alltoallv/facts.h"

namespace targets::alltoallv {

/// Receives the opening, use and closing of mappings of peers' memory.
class MappingObserver {
 public:
  virtual ~MappingObserver() = default;
  virtual void opened(const Opening&) {}
  /// The driver returned "already mapped" for a handle, and then another error on the retry.
  virtual void open_failed(std::uint32_t /*rank*/, std::uint32_t /*peer*/) {}
  /// A use begins: the mapping now has `count` uses.
  virtual void mapped(const Use&, harness::BirthId /*region*/, std::uint64_t /*count*/) {}
  /// A use ends by counting down `met`, which had `count` uses before.
  virtual void let_go(const Use&, harness::BirthId /*met*/, std::uint64_t /*count*/) {}
  /// A use of `meant` is to end, but the cache has no mapping for its key and dereferences null.
  /// The process crashes.
  virtual void followed_null(const Use&, harness::BirthId /*meant*/) {}
  virtual void evicting(const Eviction&) {}
  /// A mapping leaves the table but stays open for its users.
  virtual void marked(harness::BirthId /*region*/) {}
  /// The mapping is about to be closed.
  virtual void closing(harness::BirthId /*region*/) {}
};

/// Receives events. It is called in the middle of an operation: it may record, but must neither
/// call back nor offer a preemption point.
class Observer : public MappingObserver {
 public:
  /// Copies of a collective were submitted.
  virtual void copied() = 0;
  virtual void read(const Reading& reading) = 0;
  virtual void placed(const Placement&) {}

  // ---- collectives and slots ----
  virtual void init_failed(const FailedInit&) {}
  virtual void posting_again(const Reposting&) {}
  virtual void posted(const Posting&) {}
  /// Rank 0 found the slot of a request free, and claims it if the policy allows.
  virtual void found_free(Request) {}
  virtual void claimed(const Taking&) {}
  virtual void entered(const Entering&) {}
  virtual void publishing(const Publishing&) {}
  /// A rank has written its source into the slot.
  virtual void source_written(std::uint32_t /*rank*/, Request) {}
  virtual void published(const Publication&) {}
  virtual void batching(const Batching&) {}
  virtual void overwriting(const Overwriting&) {}
  virtual void arrived(const Arrival&) {}
  virtual void passed(const Passage&) {}
  virtual void failed(const Failure&) {}
  /// After an error the rank frees the slot, posts its copies and arrives at the next barrier.
  virtual void went_on(std::uint32_t /*rank*/, Request) {}
  /// After an error the rank skips the remaining barriers.
  virtual void gave_up(std::uint32_t /*rank*/, Request) {}
  virtual void key_read(const KeyReading&) {}
  /// The slot was set free.
  virtual void released(std::uint32_t /*slot*/) {}
  virtual void leaving(const Leaving&) {}
  virtual void left(const SlotLeft&) {}
  /// The collective has ended on this rank.
  virtual void ended(std::uint32_t /*rank*/, Request) {}
};

}  // namespace targets::alltoallv
