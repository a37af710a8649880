// SPDX-License-Identifier: Apache-2.0
// Answers: what calls of the path answer, against what the scenario knows itself.
#pragma once

#include <optional>

#include "scenarios/alltoallv/judges/judges.h"
#include "scenarios/alltoallv/judges/service.h"

namespace scenarios::alltoallv {

/// Ownership: the job's; borrows the scene, the job_state and who counts posts. Threads: the run's.
class Answers {
 public:
  using Status = targets::alltoallv::Status;

  Answers(harness::Scene& scene, const JobState& job_state, const Slots& slots)
      : scene_(scene), state_of_job_(job_state), slots_(slots) {}

  /// Makes a call, and again while CUDA calls that it made were made to fail: the job continues, or
  /// it would show nothing. An answer that nothing documents is a refusal.
  template <class Call>
  Status insist(harness::Label name, Circumstances circumstances, Call call);

  /// A rank is about to post a request.
  void posting(std::uint32_t rank, std::uint32_t slot);
  /// Judges an answer of `wait` by the result of the collective's CUDA calls.
  void judge_ending(std::uint32_t rank, std::uint32_t slot, Status status) const;

 private:
  template <class T>
  using ByPost = std::array<std::array<T, kSlotCountLimit>, kRankLimit>;

  /// Returns whether the answer is documented. Else it was reported.
  bool note_answer(harness::Label name, Status status, const Circumstances& circumstances) const;
  bool is_at_fault() const;
  /// Returns what is known of a collective that failed on `rank`.
  Circumstances circumstances_of(std::uint32_t rank, std::uint32_t slot) const;
  /// Whether `tell(activation)` of a collective that this step of the rank made.
  template <class Tell>
  bool any_collective(std::uint32_t rank, std::uint32_t slot, Tell tell) const;
  /// Returns the last collective that this step of the rank made.
  std::optional<harness::Name> last_collective(std::uint32_t rank, std::uint32_t slot) const;
  bool was_injected_into(std::uint32_t rank, std::uint32_t slot, std::uint32_t round) const;
  void judge_peer_error(std::uint32_t rank, std::uint32_t slot) const;

  harness::Scene& scene_;
  const JobState& state_of_job_;
  const Slots& slots_;
  /// How many choices there were when a rank posted a request: for this post and the one before.
  ByPost<std::array<std::uint32_t, 2>> posted_at_;
  /// How many events, for this post.
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
