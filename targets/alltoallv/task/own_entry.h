// SPDX-License-Identifier: Apache-2.0
// OwnEntry: a rank's own part of its task's slot: what it tells its peers, and when.
#pragma once

#include "targets/alltoallv/task/operands.h"

namespace targets::alltoallv {

/// Ownership: its task's; the entry is the slot's. Threads: as the task.
class OwnEntry {
 public:
  OwnEntry(const Post& post, const Operands& operands)
      : post_(post), core_(post.rank.core), operands_(operands) {}

  /// Writes all that peers need, and starts the first barrier. Peers wait for what `stream` holds
  /// so far.
  Status set_up(CUstream stream);
  /// Says that this step of a ring or linear collective is done.
  void publish_step(std::uint32_t step);
  /// Says that the rank takes no part any more.
  void give_up();
  /// Whether the rank is seen to have done that step.
  bool is_at(std::uint32_t step) const;

 private:
  Entry& entry();
  void publish(Entry& entry);
  void tell_published(const Entry& entry);
  Status record_source(Entry& entry, CUstream stream);

  const Post& post_;
  Core& core_;
  const Operands& operands_;
};

/// The step of a rank that failed: it is at every step.
inline constexpr std::uint32_t kFailedStep = 0xffff;

/// Returns which of the two words of failure a post uses. A proxy that failed says so by turns:
/// until all has passed the next setup, and so has read this one, it writes the other.
std::uint32_t parity(const Post& post);

}  // namespace targets::alltoallv
