// SPDX-License-Identifier: Apache-2.0
#include "scenarios/alltoallv/judges/answers.h"

#include <algorithm>

#include "harness/core/fault/kinds.h"
#include "scenarios/alltoallv/judges/calls.h"

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

// ---- collectives --------------------------------------------------------------------------------

void Answers::posting(std::uint32_t rank, std::uint32_t slot) {
  const harness::World& world = scene_.world();
  posted_at_[rank][slot][(slots_.round(rank, slot) + 1) % 2] =
      static_cast<std::uint32_t>(world.picker.tape().size());
  posted_event_[rank][slot] = static_cast<std::uint32_t>(world.history.events().size());
}

/// Returns the activation of a rank's step for a slot.
static harness::Name step_of(std::uint32_t rank, std::uint32_t slot) {
  return harness::derive_name(harness::slot_name(0, slot), Label("rank").hash(), rank);
}

template <class Tell>
bool Answers::any_collective(std::uint32_t rank, std::uint32_t slot, Tell tell) const {
  const harness::Name step = step_of(rank, slot);
  const auto& named = scene_.world().history.activations();
  return std::any_of(named.begin(), named.end(), [&](const harness::ActivationRecord& record) {
    return record.parent == step && record.kind == targets::alltoallv::kCollectiveActivation &&
           tell(record.name);
  });
}

std::optional<harness::Name> Answers::last_collective(std::uint32_t rank,
                                                      std::uint32_t slot) const {
  const harness::Name step = step_of(rank, slot);
  const auto& named = scene_.world().history.activations();
  const auto last =
      std::find_if(named.rbegin(), named.rend(), [&](const harness::ActivationRecord& record) {
        return record.parent == step && record.kind == targets::alltoallv::kCollectiveActivation;
      });
  return last != named.rend() ? std::optional(last->name) : std::nullopt;
}

// An injected error of an open may also apply to the process's next open, which may belong to
// another collective, or to a team that was made in between.
bool Answers::was_injected_into(std::uint32_t rank, std::uint32_t slot, std::uint32_t round) const {
  const harness::World& world = scene_.world();
  const std::uint32_t since = posted_at_[rank][slot][round % 2];
  const auto own = [&](harness::Name name) { return was_injected(world, name, since); };
  const auto left = [&](harness::Name name) { return was_next_injected(world, name); };
  return any_collective(rank, slot, own) ||
         std::any_of(state_of_job_.plan().begin(), state_of_job_.plan().end(),
                     [&](const Step& step) {
                       return left(step_of(rank, step.slot)) ||
                              (step.posts() && any_collective(rank, step.slot, left));
                     });
}

Circumstances Answers::circumstances_of(std::uint32_t rank, std::uint32_t slot) const {
  Circumstances circumstances;
  const std::uint32_t round = slots_.round(rank, slot);
  circumstances.injected = was_injected_into(rank, slot, round);
  for (std::uint32_t peer = 0; peer < state_of_job_.rank_count(); ++peer)
    if (peer != rank && slots_.round(peer, slot) >= round)
      circumstances.peer_injected |= was_injected_into(peer, slot, round);
  return circumstances;
}

// The table covers errors of any rank; the results of the rank's own calls are in the history.
void Answers::judge_ending(std::uint32_t rank, std::uint32_t slot, Status status) const {
  if (status != Status::ok) note_answer("wait", status, circumstances_of(rank, slot));
  if (!state_of_job_.bounded() || scene_.world().injected_failures == 0) return;
  if (status == Status::peer_error) return judge_peer_error(rank, slot);
  const std::optional<harness::Name> collective = last_collective(rank, slot);
  Failures failures;
  if (collective) failures = failures_of(scene_.world(), *collective, posted_event_[rank][slot]);
  if (failures.error && status == Status::ok)
    scene_.refuse("wait", "ok, and a CUDA call failed that was not made again");
  else if (!failures.error && !failures.refused && status == Status::driver_error)
    scene_.refuse("wait", "an error, and no CUDA call has failed for good");
}

void Answers::judge_peer_error(std::uint32_t rank, std::uint32_t slot) const {
  const std::optional<harness::Name> collective = last_collective(rank, slot);
  if (!collective) return;
  const Step& step = state_of_job_.step_at(slot);
  const std::size_t all =
      transfer_count(step, rank, state_of_job_.rank_count(),
                     state_of_job_.topology(rank, step.team), copies_in_batches(scene_.config()));
  if (all != 0 && transfers_of(scene_.world(), *collective, posted_event_[rank][slot]) == all)
    scene_.refuse("wait", "a peer's error, and all that it brings the rank has come");
}

}  // namespace scenarios::alltoallv
