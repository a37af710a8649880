// SPDX-License-Identifier: Apache-2.0
// Segment: what the processes of a team share: sync slots, barriers, and owners of slots.
//
// Each access is a turn. Each word knows the use of the slot that it was written for (Generation).
// UCC's slots do not contain that, so a late reader cannot know what it reads.
#pragma once

#include "targets/alltoallv/mem_info.h"

namespace targets::alltoallv {

/// The mark of a request's words in a slot, in the post that is its `round`-th.
constexpr harness::Generation mark_of(Request request, std::uint32_t round) {
  return static_cast<harness::Generation>((std::uint64_t{request} + 1) | std::uint64_t{round}
                                                                             << 32);
}

/// The shares of a rank's peers, in bytes, as it publishes them.
struct Shares {
  std::array<std::uint32_t, kRankLimit> send_bytes{};
  std::array<std::uint32_t, kRankLimit> send_displacement{};
  std::array<std::uint32_t, kRankLimit> receive_displacement{};
};

struct Published {
  Handle event{};
};

/// Reads what a processor's vector load reads at once: one turn, and not one for each word.
template <class T>
Handle read_wide(harness::SharedSlot<T>& slot, Handle T::* member, harness::Generation generation) {
  slot.read(member, 0, generation);
  return slot.peek().*member;
}

/// One rank's part of one slot: it alone writes it.
struct Entry {
  explicit Entry(harness::Scheduler& scheduler)
      : source(scheduler, "mem_info_src"),
        destination(scheduler, "mem_info_dst"),
        shares(scheduler, "shares"),
        published(scheduler, "ipc_event"),
        step(scheduler, "seq_num"),
        tag(scheduler, "tag"),
        failed(scheduler, "status"),
        broken{{{scheduler, "outcome"}, {scheduler, "outcome"}}} {}

  harness::SharedSlot<MemInfo> source;
  harness::SharedSlot<MemInfo> destination;
  harness::SharedSlot<Shares> shares;
  harness::SharedSlot<Published> published;
  harness::Shared<std::uint32_t> step;    ///< Step of ring and linear collectives.
  harness::Shared<std::uint64_t> tag;     ///< check_generation: whose this is.
  harness::Shared<std::uint32_t> failed;  ///< snapshot_region: this rank takes no part.
  std::array<harness::Shared<std::uint64_t>, 2>
      broken;  ///< Collectives that failed since, by turns.
};

/// Split-phase, sense-reversing: all starts, then tests until the last one has started. A rank's
/// own sense and state are its own; only its tasks touch them.
class ShmBarrier {
 public:
  ShmBarrier(harness::Scheduler& scheduler, std::uint32_t size)
      : count_(scheduler, "barrier count"), sense_(scheduler, "barrier sense"), size_(size) {
    local_sense_.fill(1);
  }

  /// Returns true to the last one.
  bool start(std::uint32_t rank) {
    const std::uint32_t position = count_.update([](std::uint32_t count) { return count + 1; });
    idle_[rank] = false;
    if (position + 1 < size_) return false;
    count_.write(0);
    sense_.write(local_sense_[rank]);
    return true;
  }
  bool test(std::uint32_t rank) {
    if (sense_.read() != local_sense_[rank]) return false;
    idle_[rank] = true;
    local_sense_[rank] ^= 1;
    return true;
  }
  bool idle(std::uint32_t rank) const { return idle_[rank]; }
  /// Returns the first rank that has not started.
  std::uint32_t first_missing() const {
    std::uint32_t rank = 0;
    while (rank + 1 < size_ && !idle_[rank]) ++rank;
    return rank;
  }
  /// Returns what test() would say; no turn.
  bool passed(std::uint32_t rank) const { return sense_.peek() == local_sense_[rank]; }
  std::uint32_t waiting() const { return count_.peek(); }

 private:
  harness::Shared<std::uint32_t> count_;
  harness::Shared<std::uint32_t> sense_;
  std::uint32_t size_;
  std::array<std::uint8_t, kRankLimit> local_sense_;
  std::array<bool, kRankLimit> idle_{true, true, true, true, true, true, true, true};
};

/// One slot. `state` is the number of the collective that has it, 0 when it is free.
struct Slot {
  Slot(harness::Scheduler& scheduler, std::uint32_t rank_count)
      : state(scheduler, "sync_state"), barrier(scheduler, rank_count), done(scheduler, "done") {}

  harness::Shared<std::uint32_t> state;
  ShmBarrier barrier;
  std::uint32_t post_count = 0;         ///< Rank 0's own count of the posts that have requested it.
  std::uint32_t claim_count = 0;        ///< Number of those posts that got it.
  harness::Shared<std::uint32_t> done;  ///< release_by_all: ranks that are done with it.
  std::array<Entry*, kRankLimit> entries{};
};

/// Ownership: in the run's arena, made by rank 0 of each team.
class Segment {
 public:
  Segment(harness::Scheduler& scheduler, std::uint32_t rank_count)
      : scheduler_(scheduler), rank_count_(rank_count) {}

  /// Free, until a post has claimed it. Most jobs never reach most slots, so each is made at its
  /// first use.
  Slot& slot(std::uint32_t index) {
    Slot*& slot = slots_[index];
    if (slot == nullptr) slot = scheduler_.arena().make<Slot>(scheduler_, rank_count_);
    return *slot;
  }

  /// Returns a rank's part of a slot, which is also made at its first use.
  Entry& entry(std::uint32_t index, std::uint32_t rank) {
    Entry*& entry = slot(index).entries[rank];
    if (entry == nullptr) entry = scheduler_.arena().make<Entry>(scheduler_);
    return *entry;
  }

  /// A rank has made its part of the team. Returns true to the last one. Not in UCC.
  bool join() { return ++member_count_ == rank_count_; }
  bool is_complete() const { return member_count_ == rank_count_; }

  /// Calls `visit(index, slot)` for every slot that was used.
  template <class Visit>
  void for_each_used(Visit visit) const {
    for (std::uint32_t index = 0; index < kSlotLimit; ++index)
      if (slots_[index] != nullptr) visit(index, *slots_[index]);
  }

 private:
  harness::Scheduler& scheduler_;
  std::uint32_t rank_count_;
  std::uint32_t member_count_ = 0;
  std::array<Slot*, kSlotLimit> slots_{};
};

}  // namespace targets::alltoallv
