// SPDX-License-Identifier: Apache-2.0
// Answers: compares the statuses that the path returns with the scenario's own knowledge.
#pragma once

#include <optional>

#include "scenarios/alltoallv/judges/judges.h"
#include "scenarios/alltoallv/judges/service.h"

namespace scenarios::alltoallv {

/// Ownership: owned by the job; borrows the scene, the job_state and the slots. Threads: the run's.
class Answers {
 public:
  using Status = targets::alltoallv::Status;

  Answers(harness::Scene& scene, const JobState& job_state, const Slots& slots)
      : scene_(scene), state_of_job_(job_state), slots_(slots) {}

  /// Makes a call, and repeats it while errors were injected into its CUDA calls: the job must
  /// continue in order to test anything. An undocumented status is reported as a refusal.
  template <class Call>
  Status insist(harness::Label name, Circumstances circumstances, Call call);

  /// Called when a rank is about to post a request.
  void posting(std::uint32_t rank, std::uint32_t slot);
  /// Judges the status of `wait` by the results of the collective's CUDA calls.
  void judge_ending(std::uint32_t rank, std::uint32_t slot, Status status) const;

 private:
  template <class T>
  using ByPost = std::array<std::array<T, kSlotCountLimit>, kRankLimit>;

  /// Returns whether the status is documented. If not, reports it.
  bool note_answer(harness::Label name, Status status, const Circumstances& circumstances) const;
  bool is_at_fault() const;
  /// Returns the circumstances of a collective that failed on `rank`.
  Circumstances circumstances_of(std::uint32_t rank, std::uint32_t slot) const;
  /// Returns whether `tell(activation)` is true of a collective that this step of the rank made.
  template <class Tell>
  bool any_collective(std::uint32_t rank, std::uint32_t slot, Tell tell) const;
  /// Returns the last collective that this step of the rank made.
  std::optional<harness::Name> last_collective(std::uint32_t rank, std::uint32_t slot) const;
  bool was_injected_into(std::uint32_t rank, std::uint32_t slot, std::uint32_t round) const;
  void judge_peer_error(std::uint32_t rank, std::uint32_t slot) const;

  harness::Scene& scene_;
  const JobState& state_of_job_;
  const Slots& slots_;
  /// Number of choices before a rank posted a request: for its last post and the one before.
  ByPost<std::array<std::uint32_t, 2>> posted_at_;
  /// Number of events before the last post.
  ByPost<std::uint32_t> posted_event_;
};

template <class Call>
Answers::Status Answers::insist(harness::Label name, Circumstances circumstances, Call call) {
  harness::Picker& picker = scene_.world().picker;
  for (;;) {
    const std::size_t since = picker.tape().size();
    const Status status = call();
    if (status == Status::ok) [[likely]]
      return status;
    circumstances.injected = was_injected(scene_.world(), picker.current().name, since);
    const bool documented = note_answer(name, status, circumstances);
    if (status != Status::driver_error || !documented) return status;
  }
}

}  // namespace scenarios::alltoallv
