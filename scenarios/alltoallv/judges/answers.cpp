// SPDX-License-Identifier: Apache-2.0
#include "scenarios/alltoallv/judges/answers.h"

#include <algorithm>

#include "harness/core/fault/kinds.h"
#include "scenarios/alltoallv/judges/calls.h"
#include "scenarios/alltoallv/model/expect.h"

namespace scenarios::alltoallv {

using harness::Label;

/// Returns whether a fault was found before: a failure that follows from it is not a refusal.
bool Answers::is_at_fault() const {
  const auto& faults = scene_.world().history.faults();
  return std::any_of(faults.begin(), faults.end(), [&](const harness::Fault& fault) {
    return fault.kind != harness::FaultKind::refusal &&
           !harness::is_caller_error(scene_.scenario(), fault);
  });
}

bool Answers::note_answer(Label name, Status status, const Circumstances& circumstances) const {
  if (is_documented(name, status, circumstances)) return true;
  if (!is_at_fault()) scene_.refuse(name, to_label(status).c_str());
  return false;
}

// The table covers errors of any rank; the results of the rank's own calls are in the history.
void Answers::judge_ending(std::uint32_t rank, Request request, Status status) const {
  const harness::World& world = scene_.world();
  if (status != Status::ok)
    note_answer("wait", status, circumstances_of(world, state_, rank, request));
  if (!state_.bounded || world.injected_failures == 0) return;
  const auto collectives = collectives_of(world, rank, request);
  Failures failures;
  if (!collectives.empty()) {
    const Post* post = state_.last_post(rank, request);
    const std::size_t since = post != nullptr ? post->event_count : 0;
    failures = failures_of(world, collectives.back(), since);
    if (status == Status::peer_error && has_all_data(rank, request, collectives.back(), since))
      scene_.refuse("wait", "a peer's error, and all that it brings the rank has come");
  }
  if (failures.error && status == Status::ok)
    scene_.refuse("wait", "ok, and a CUDA call failed that was not made again");
  else if (!failures.error && !failures.refused && status == Status::driver_error)
    scene_.refuse("wait", "an error, and no CUDA call has failed for good");
}

bool Answers::has_all_data(std::uint32_t rank, Request request, harness::Name collective,
                           std::size_t since) const {
  const std::size_t all =
      transfer_count(state_.step_at(request), rank, state_.rank_count,
                     state_.topology(rank, request), copies_in_batches(scene_.config()));
  return all != 0 && transfers_of(scene_.world(), collective, since) == all;
}

}  // namespace scenarios::alltoallv
