// SPDX-License-Identifier: Apache-2.0
// Segment: memory that the processes of a team share: sync slots, barriers, slot owners.
//
// Each access is a preemption point. Each word is tagged with the use it was written for
// (Generation). UCC's slots have no tag, so a late reader cannot know what it reads.
#pragma once

#include "targets/alltoallv/mem_info.h"

namespace targets::alltoallv {

/// Returns the tag of a request's words in the slot in its `round`-th post.
constexpr harness::Generation mark_of(Request request, std::uint32_t round) {
  return static_cast<harness::Generation>((std::uint64_t{request} + 1) | std::uint64_t{round}
                                                                             << 32);
}

/// A rank's published share for each peer, in bytes.
struct Shares {
  std::array<std::uint32_t, kRankLimit> send_bytes{};
  std::array<std::uint32_t, kRankLimit> send_displacement{};
  std::array<std::uint32_t, kRankLimit> receive_displacement{};
};

struct Published {
  Handle event{};
};

/// Reads a handle in one step, as a processor's vector load does, instead of word by word.
template <class T>
Handle read_wide(harness::SharedSlot<T>& slot, Handle T::* member, harness::Generation generation) {
  slot.read(member, 0, generation);
  return slot.peek().*member;
}

/// One rank's part of one slot. Only this rank writes it.
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
  harness::Shared<std::uint64_t> tag;     ///< check_generation: the current use.
  harness::Shared<std::uint32_t> failed;  ///< snapshot_region: this rank has failed.
  std::array<harness::Shared<std::uint64_t>, 2>
      broken;  ///< Uses in which this rank failed as a proxy.
};

/// Split-phase, sense-reversing barrier: each rank starts it, then tests until the last has
/// started. A rank's own sense and idle flag are touched only by its own tasks.
class ShmBarrier {
 public:
  ShmBarrier(harness::Scheduler& scheduler, std::uint32_t size)
      : count_(scheduler, "barrier count"), sense_(scheduler, "barrier sense"), size_(size) {
    local_sense_.fill(1);
  }

  /// Arrives at the barrier. Returns true for the last rank.
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
  /// Returns the first rank that has not arrived.
  std::uint32_t first_missing() const {
    std::uint32_t rank = 0;
    while (rank + 1 < size_ && !idle_[rank]) ++rank;
    return rank;
  }
  /// Returns the result of test() without a preemption point.
  bool passed(std::uint32_t rank) const { return sense_.peek() == local_sense_[rank]; }
  std::uint32_t waiting() const { return count_.peek(); }

 private:
  harness::Shared<std::uint32_t> count_;
  harness::Shared<std::uint32_t> sense_;
  std::uint32_t size_;
  std::array<std::uint8_t, kRankLimit> local_sense_;
  std::array<bool, kRankLimit> idle_{true, true, true, true, true, true, true, true};
};

/// One slot. `state` is the number of the collective that owns it, or 0 if it is free.
struct Slot {
  Slot(harness::Scheduler& scheduler, std::uint32_t rank_count)
      : state(scheduler, "sync_state"), barrier(scheduler, rank_count), done(scheduler, "done") {}

  harness::Shared<std::uint32_t> state;
  ShmBarrier barrier;
  std::uint32_t post_count = 0;         ///< Number of posts that requested it, counted by rank 0.
  std::uint32_t claim_count = 0;        ///< Number of those posts that claimed it.
  harness::Shared<std::uint32_t> done;  ///< release_by_all: number of ranks that have finished.
  std::array<Entry*, kRankLimit> entries{};
};

/// Ownership: in the run's arena, made by rank 0 of each team.
class Segment {
 public:
  Segment(harness::Scheduler& scheduler, std::uint32_t rank_count)
      : scheduler_(scheduler), rank_count_(rank_count) {}

  /// Returns a slot; a new one is free. A slot is made at its first use, because most jobs never
  /// use most slots.
  Slot& slot(std::uint32_t index) {
    Slot*& slot = slots_[index];
    if (slot == nullptr) slot = scheduler_.arena().make<Slot>(scheduler_, rank_count_);
    return *slot;
  }

  /// Returns a rank's part of a slot. It, too, is made at its first use.
  Entry& entry(std::uint32_t index, std::uint32_t rank) {
    Entry*& entry = slot(index).entries[rank];
    if (entry == nullptr) entry = scheduler_.arena().make<Entry>(scheduler_);
    return *entry;
  }

  /// Counts a rank that has made its part of the team. Returns true for the last. Not in UCC.
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
