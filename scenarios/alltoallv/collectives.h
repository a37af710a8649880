// SPDX-License-Identifier: Apache-2.0
// Collectives: the collectives of one rank, from filling the source to checking the result.
#pragma once

#include "scenarios/alltoallv/job.h"

namespace scenarios::alltoallv {

/// Ownership: owned by its rank. Threads: the rank's own task.
class Collectives {
 public:
  using Status = targets::alltoallv::Status;

  Collectives(Job& job, std::uint32_t rank) : job_(job), state_(job.state), rank_(rank) {}

  /// Fills the source if it is empty, then inits and posts the collective of the step.
  Status begin(const Step& step);
  /// Posts a persistent collective again, once its last post has ended.
  Status post_again(const Step& step);
  /// Waits for all outstanding collectives, and checks their results.
  void finish_all() { finish_all_of(~0U); }
  /// The same for a team; its persistent collectives are finalized, too.
  void finish_team(std::uint32_t team);
  void finalize_kept() { finalize_kept_of(~0U); }
  void drop(std::uint32_t buffer);

 private:
  Status fill(const Step& step);
  Status init(const Step& step, const targets::alltoallv::Arguments& arguments);
  void post(std::uint32_t slot, bool triggered);
  void finish(std::uint32_t slot);
  void finish_all_of(std::uint32_t slots);
  void finalize_kept_of(std::uint32_t slots);
  void check(std::uint32_t slot);
  void finalize(std::uint32_t slot);

  Job& job_;
  const State& state_;
  std::uint32_t rank_;
  std::uint32_t outstanding_ = 0;  ///< One bit per slot.
  std::uint32_t kept_ = 0;         ///< Slots of persistent ones.
};

}  // namespace scenarios::alltoallv
