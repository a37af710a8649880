// SPDX-License-Identifier: Apache-2.0
// OwnEntry: a rank's own part of its task's slot, in which it publishes data to its peers.
#pragma once

#include "targets/alltoallv/task/operands.h"

namespace targets::alltoallv {

/// Ownership: owned by its task; the slot owns the entry. Threads: as the task.
class OwnEntry {
 public:
  OwnEntry(const Post& post, const Operands& operands)
      : post_(post), core_(post.rank.core), operands_(operands) {}

  /// Writes all that the peers need, and starts the first barrier. The peers wait for the work that
  /// is in `stream` now.
  Status set_up(CUstream stream);
  /// Publishes that this step of a ring or linear collective is done.
  void publish_step(std::uint32_t step);
  /// Publishes that the rank has failed and copies nothing more.
  void give_up();
  /// Returns whether the rank has published that step.
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

/// Step of a rank that failed: larger than every other step, so that no peer waits for it.
inline constexpr std::uint32_t kFailedStep = 0xffff;

/// Returns which of two failure words a post uses. A failed proxy alternates between them: a word
/// is written again only after all ranks have passed the next setup and so have read it.
std::uint32_t parity(const Post& post);

}  // namespace targets::alltoallv
