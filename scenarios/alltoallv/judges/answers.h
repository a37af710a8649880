// SPDX-License-Identifier: Apache-2.0
// Answers: compares the statuses that the path returns with the scenario's own knowledge.
#pragma once

#include "scenarios/alltoallv/model/choices.h"
#include "scenarios/alltoallv/model/refuse.h"

namespace scenarios::alltoallv {

/// Ownership: owned by the job; borrows the scene and the state. Threads: the run's.
class Answers {
 public:
  using Status = targets::alltoallv::Status;

  Answers(harness::Scene& scene, const State& state) : scene_(scene), state_(state) {}

  /// Makes a call, and repeats it while errors were injected into its CUDA calls: the job must
  /// continue in order to test anything. An undocumented status is reported as a refusal.
  template <class Call>
  Status insist(harness::Label name, Circumstances circumstances, Call call);

  /// Judges the status of `wait` by the results of the collective's CUDA calls.
  void judge_ending(std::uint32_t rank, Request request, Status status) const;

 private:
  /// Returns whether the status is documented. If not, reports it.
  bool note_answer(harness::Label name, Status status, const Circumstances& circumstances) const;
  bool is_at_fault() const;
  bool has_all_data(std::uint32_t rank, Request request, harness::Name collective,
                    std::size_t since) const;

  harness::Scene& scene_;
  const State& state_;
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
