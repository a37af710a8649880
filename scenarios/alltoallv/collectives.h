// SPDX-License-Identifier: Apache-2.0
// Collectives: those of one rank, from the source that it gives to the result that it checks.
#pragma once

#include "scenarios/alltoallv/job.h"

namespace scenarios::alltoallv {

/// Ownership: its rank's. Threads: the rank's own task.
class Collectives {
 public:
  using Status = targets::alltoallv::Status;

  Collectives(Job& job, std::uint32_t rank)
      : job_(job), state_of_job_(job.job_state), memory_(job.judges.memory()), rank_(rank) {}

  /// Fills the source if it is empty, makes the collective of the step, and posts it.
  Status begin(const Step& step);
  /// Posts a persistent one again, once its last post has ended.
  Status post_again(const Step& step);
  /// Takes all that was posted to its end, and checks it.
  void finish_all() { finish_all_of(~0U); }
  /// The same for a team; nothing of it is kept.
  void finish_team(std::uint32_t team);
  void finalize_kept() { finalize_kept_of(~0U); }
  void drop(std::uint32_t buffer);

 private:
  Status fill(const Step& step);
  Status init(const Step& step, const targets::alltoallv::Arguments& arguments,
              const Circumstances& circumstances);
  Status prepare(const Step& step, const targets::alltoallv::Arguments& arguments);
  void post(std::uint32_t slot, bool triggered);
  void finish(std::uint32_t slot);
  void finish_all_of(std::uint32_t slots);
  void finalize_kept_of(std::uint32_t slots);
  void check(std::uint32_t slot);
  void finalize(std::uint32_t slot);

  Job& job_;
  JobState& state_of_job_;
  Memory& memory_;
  std::uint32_t rank_;
  std::array<std::uint32_t, targets::alltoallv::kBufferCount>
      filled_{};                   ///< The fill of each variable.
  std::uint32_t outstanding_ = 0;  ///< A bit per slot.
  std::uint32_t kept_ = 0;         ///< Persistent ones.
};

}  // namespace scenarios::alltoallv
