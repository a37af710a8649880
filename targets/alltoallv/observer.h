// SPDX-License-Identifier: Apache-2.0
// Observer: receives the facts of a job as it runs, whatever the policy.
#pragma once

#include "targets/alltoallv/facts.h"

namespace targets::alltoallv {

/// Receives mappings of peers' memory, and their releases.
class MappingObserver {
 public:
  virtual ~MappingObserver() = default;
  virtual void opened(const Opening&) {}
  /// The driver said "already mapped" of a handle, and then failed for another reason.
  virtual void open_failed(std::uint32_t /*rank*/, std::uint32_t /*peer*/) {}
  /// A use begins: the mapping has `count` of them now.
  virtual void mapped(const Use&, harness::BirthId /*region*/, std::uint64_t /*count*/) {}
  /// A use ends by counting down `met`, which had `count`.
  virtual void let_go(const Use&, harness::BirthId /*met*/, std::uint64_t /*count*/) {}
  /// A use of `meant` means to end; the cache has no mapping for its key, and follows the null
  /// pointer. The process ends.
  virtual void followed_null(const Use&, harness::BirthId /*meant*/) {}
  virtual void evicting(const Eviction&) {}
  /// A mapping leaves the table, and stays open for its users.
  virtual void marked(harness::BirthId /*region*/) {}
  /// About to be closed.
  virtual void closing(harness::BirthId /*region*/) {}
};

/// Receives events. Called in the middle of an operation: it may record, and must not call back or
/// offer a turn.
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
  /// Rank 0 found the slot free that a request waits for, and claims it if it may.
  virtual void found_free(Request) {}
  virtual void claimed(const Taking&) {}
  virtual void entered(const Entering&) {}
  virtual void publishing(const Publishing&) {}
  /// A rank has written where its source is.
  virtual void source_written(std::uint32_t /*rank*/, Request) {}
  virtual void published(const Publication&) {}
  virtual void batching(const Batching&) {}
  virtual void overwriting(const Overwriting&) {}
  virtual void arrived(const Arrival&) {}
  virtual void passed(const Passage&) {}
  virtual void failed(const Failure&) {}
  /// The rank gives the slot back, posts its copies and starts the next barrier nevertheless.
  virtual void went_on(std::uint32_t /*rank*/, Request) {}
  /// The rank passes none of the barriers that are left.
  virtual void gave_up(std::uint32_t /*rank*/, Request) {}
  virtual void key_read(const KeyReading&) {}
  /// The slot was set free.
  virtual void released(std::uint32_t /*slot*/) {}
  virtual void leaving(const Leaving&) {}
  virtual void left(const SlotLeft&) {}
  /// The collective is over on this rank.
  virtual void ended(std::uint32_t /*rank*/, Request) {}
};

}  // namespace targets::alltoallv
