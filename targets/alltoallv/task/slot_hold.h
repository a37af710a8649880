// SPDX-License-Identifier: Apache-2.0
// SlotHold: a task's way to its slot, and out of it: rank 0 claims it, all wait until it is theirs,
// and code that the policy says sets it free.
#pragma once

#include "targets/alltoallv/task/post.h"

namespace targets::alltoallv {

/// Ownership: its task's; the slot is the segment's. Threads: as the task.
class SlotHold {
 public:
  explicit SlotHold(const Post& post) : post_(post), core_(post.rank.core) {}

  /// Takes its place behind those of its rank that asked for the slot before.
  void ask() { place_ = post_.shared_slot().post_count++; }
  /// Returns true once the slot is the task's, and the rank's part of its barrier idle.
  bool get();
  /// Whether get() would return true.
  bool can_get() const;
  /// The rank is done with the slot.
  void release();

 private:
  void claim(Slot& slot);
  bool may_claim(const Slot& slot) const;

  const Post& post_;
  Core& core_;
  std::uint32_t place_ = 0;  ///< Rank 0's: how many asked for the slot before.
};

}  // namespace targets::alltoallv
