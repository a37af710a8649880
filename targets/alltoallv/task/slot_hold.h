// SPDX-License-Identifier: Apache-2.0
// SlotHold: a task's claim on its slot: rank 0 claims it, all ranks wait until it has their number,
// and the policy selects the rank that frees it.
#pragma once

#include "targets/alltoallv/task/post.h"

namespace targets::alltoallv {

/// Ownership: owned by its task; the segment owns the slot. Threads: as the task.
class SlotHold {
 public:
  explicit SlotHold(const Post& post) : post_(post), core_(post.rank.core) {}

  /// Queues the task behind earlier posts of its rank for the slot.
  void ask() { place_ = post_.shared_slot().post_count++; }
  /// Returns true once the task has the slot and the rank's part of the barrier is idle.
  bool get();
  /// Returns whether get() would return true.
  bool can_get() const;
  /// Marks the rank as done with the slot.
  void release();

 private:
  void claim(Slot& slot);
  bool may_claim(const Slot& slot) const;

  const Post& post_;
  Core& core_;
  std::uint32_t place_ = 0;  ///< Rank 0 only: number of earlier posts for the slot.
};

}  // namespace targets::alltoallv
