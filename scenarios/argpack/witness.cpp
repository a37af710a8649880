// SPDX-License-Identifier: Apache-2.0
#include "scenarios/argpack/witness.h"

#include <fmt/format.h>

#include "harness/core/fault/kinds.h"
#include "harness/run/scenario/kernels.h"
#include "scenarios/argpack/bindings.h"
#include "scenarios/argpack/failures.h"
#include "scenarios/argpack/windows.h"

namespace scenarios::argpack {

using harness::Fault;
using harness::FaultKind;
using harness::Label;
using harness::raw;
using targets::argpack::kHoldLimit;
using targets::argpack::Status;

// ---- one call -----------------------------------------------------------------------------------

void Witness::begin(Attempt& attempt) {
  const harness::World& world = scene_.world();
  attempt.began = model_.progress.begin_op();
  attempt.activation = scene_.world().picker.current().name;
  attempt.alone = running_tasks_ == 0;
  attempt.first_event = world.history.events().size();
  attempt.answered = answered_;
  attempt.at_begin = attempt.seen = cases_of(attempt, model_);
  const bool launches = attempt.op == Op::call || attempt.op == Op::launch;
  if (launches && attempt.alone && anything_gone()) attempt.idle = is_idle();
  running_[task()] = &attempt;
  running_tasks_ |= std::uint64_t{1} << task();
}

void Witness::end(Attempt& attempt, Status status) {
  running_tasks_ &= ~(std::uint64_t{1} << task());
  running_[task()] = nullptr;
  if (undisturbed()) judge(attempt, status);
}

/// Returns whether no fault was found so far. Later ones may be consequences.
bool Witness::undisturbed() const { return scene_.world().history.faults().empty(); }

bool Witness::runs_beside(Serial op) const {
  for (std::uint64_t rest = running_tasks_; rest != 0; rest &= rest - 1) {
    const auto other = static_cast<std::size_t>(std::countr_zero(rest));
    if (other != task() && running_[other]->began == op) return true;
  }
  return false;
}

void Witness::changed(Change change) {
  const std::size_t me = task();
  for (std::uint64_t rest = running_tasks_; rest != 0; rest &= rest - 1) {
    const auto other = static_cast<std::size_t>(std::countr_zero(rest));
    if (other == me && change == Change::of_others) continue;
    Attempt& attempt = *running_[other];
    attempt.seen |= cases_of(attempt, model_) | (model_.things.generation() == 0 ? kReset : 0);
    attempt.disturbed |= other != me;
  }
}

void Witness::did(Deed deed) {
  if (Attempt* attempt = running_[task()]; attempt != nullptr) attempt->done |= deed;
}

void Witness::launched(const Context& context) {
  if (Attempt* attempt = running_[task()]; attempt != nullptr) attempt->launched = &context;
  did(kSubmitted);
}

/// Returns whether no other task's op, and no finalizer of the script, ran.
bool Witness::stayed_alone(const Attempt& attempt) const {
  return attempt.alone && model_.progress.serial() == attempt.began && planted_.empty();
}

// ---- service ------------------------------------------------------------------------------------

void Witness::judge(Attempt& attempt, Status status) {
  if (status == Status::ok) {
    // A finalizer of the script may have changed the conditions during the op.
    Cases certain = attempt.disturbed || !planted_.empty() ? 0 : attempt.at_begin;
    if (certain != 0) certain &= cases_of(attempt, model_);
    judge_ok(attempt, certain);
    return;
  }
  attempt.seen |=
      cases_of(attempt, model_) | (met_failure(attempt, scene_.world()) ? kInjected : 0);
  for (const Refusal& row : refusals())
    if ((row.ops >> raw(attempt.op) & 1) != 0 && row.status == status &&
        (row.due & attempt.seen) != 0)
      return note_refusal(attempt.op, status);
  refuse(attempt, fmt::format("answered {}, which nothing accounts for", to_label(status).view()));
}

/// Notes that a refusal keeps the script out of a window.
void Witness::note_refusal(Op op, Status status) {
  const Way way = op == Op::call ? Way::kernel : Way::context;
  if (status == Status::context_spent) scene_.keep_out(raw(Window::context_reused), raw(way));
  if (status == Status::context_invalid) scene_.keep_out(raw(Window::taken_reentrantly), raw(way));
  if (status == Status::stale_object) scene_.keep_out(raw(Window::stale_wrapper), raw(way));
  if (status == Status::invalid_allocation)
    scene_.keep_out(raw(Window::taken_reentrantly), raw(way));
}

void Witness::judge_ok(const Attempt& attempt, Cases certain) {
  for (const Refusal& row : certain != 0 ? refusals() : std::span<const Refusal>())
    if ((row.ops >> raw(attempt.op) & 1) != 0 && (row.required & certain) != 0 &&
        (!row.protects || claims_soundness()))
      return refuse(attempt, fmt::format("answered ok, where {} is due: {}",
                                         to_label(row.status).view(), row.reason));
  const Deeds due = deeds_of(attempt.op, attempt.returns);
  if ((attempt.done & due) != due) return refuse(attempt, "answered ok and did not do it");
  if (ignored_failure(attempt, scene_.world()))
    return refuse(attempt, "answered ok, although one of its CUDA calls failed");
  const bool binds = (due & (kBound | kSubmitted)) != 0;
  if (binds && stayed_alone(attempt) && !bound_as_given(attempt, model_))
    return refuse(attempt, "answered ok and bound something else");
  if ((due & kSubmitted) != 0) ++answered_;
  if ((due & kRead) != 0) ++read_;
  judge_work(attempt);
  if (undisturbed() && !closed_) judge_bounds(attempt);
}

bool Witness::claims_soundness() const {
  return scene_.scenario().variants[scene_.variant()].claim.kind == harness::ClaimKind::sound;
}

void Witness::refuse(const Attempt& attempt, std::string answer) {
  scene_.refuse(kOps[raw(attempt.op)].name, std::move(answer));
}

// ---- work ---------------------------------------------------------------------------------------

bool Witness::is_idle() {
  work_.look();
  return work_.is_idle() && work_.kernels().submitted == model_.progress.launch_count();
}

/// Returns whether an unusable object may be alive.
bool Witness::anything_gone() {
  const harness::Ledger& ledger = scene_.world().ledger;
  std::erase_if(model_.things.gone(), [&](Thing* thing) {
    const bool done = !thing->gone || !ledger.alive(thing->object);
    if (done) thing->listed = false;
    return done;
  });
  return !model_.things.gone().empty();
}

// Without injected errors, every launch that returned ok before this op has been submitted by a
// flush, and has finished after a wait.
void Witness::judge_work(const Attempt& attempt) {
  const bool waits = attempt.op == Op::synchronize;
  if ((!waits && attempt.op != Op::flush) || !counts_kernels()) return;
  work_.look();
  const std::uint32_t done = waits ? work_.kernels().finished : work_.kernels().submitted;
  if (done < attempt.answered)
    refuse(attempt, fmt::format("{} launches were answered with ok, and {} kernels {}",
                                attempt.answered, done, waits ? "have run" : "were submitted"));
}

// If all results were read, all kernels ran. On a GPU, no other evidence is available.
bool Witness::counts_kernels() const {
  return harness::sees_kernels(scene_.world()) && undisturbed() &&
         scene_.world().injected_failures == 0 && answered_ != read_;
}

void Witness::judge_end() {
  if (!counts_kernels()) return;
  work_.look();
  const std::uint32_t finished = work_.kernels().finished;
  if (finished < answered_ || finished > model_.progress.launch_count())
    scene_.refuse("launch",
                  fmt::format("{} launches were answered with ok, and {} kernels have run",
                              answered_, finished));
}

// ---- boundedness --------------------------------------------------------------------------------

// Another op that was running at its release may still have it in a frame.
bool Witness::may_still_use(const Attempt& attempt, const Thing& thing) const {
  if (thing.released >= attempt.began) return true;
  for (std::uint64_t rest = running_tasks_; rest != 0; rest &= rest - 1)
    if (running_[static_cast<std::size_t>(std::countr_zero(rest))]->began <= thing.released)
      return true;
  return false;
}

template <class Due>
void Witness::judge_gone(const Attempt& attempt, Label bound, Due due) {
  std::erase_if(model_.things.gone(), [&](Thing* thing) {
    if (thing->uncertain || !model_.contexts.is_unusable(*thing) ||
        may_still_use(attempt, *thing) || !due(*thing))
      return false;
    Fault fault = scene_.world().ledger.describe(FaultKind::retention, thing->object);
    fault.use_site = bound;
    fault.activation = scene_.world().picker.current().name;
    fault.tick = scene_.world().scheduler.now();
    fault.detail = fmt::format("it could not be used since operation {}; this is operation {}",
                               thing->released, attempt.began);
    scene_.world().history.add(std::move(fault));
    return true;
  });
}

void Witness::judge_bounds(const Attempt& attempt) {
  const Deeds due = deeds_of(attempt.op, attempt.returns);
  if ((due & (kFinished | kSubmitted)) == 0 || !anything_gone()) return;
  if ((due & kFinished) != 0) {
    judge_gone(attempt, "bound/synchronize", [](const Thing&) { return true; });
  } else if (scene_.world().injected_failures == 0) {
    const std::uint32_t launches = model_.progress.launch_count();
    const bool idle = attempt.idle && stayed_alone(attempt) && running_tasks_ == 0;
    if (idle) judge_gone(attempt, "bound/idle", [](const Thing&) { return true; });
    judge_gone(attempt, "bound/launches",
               [&](const Thing& thing) { return launches - thing.launches >= kHoldLimit; });
  }
}

// ---- values -------------------------------------------------------------------------------------

bool Witness::handed_out(std::int64_t value, std::uint32_t depth) const {
  const Attempt* attempt = running_[task()];
  if (attempt == nullptr) return true;
  const auto fits = [&](std::int64_t first) {
    return value >= first && value < first + targets::argpack::kDepthLimit;
  };
  if (attempt->made_depth != 0 && depth != 0) {
    if (value == attempt->value + (attempt->made_depth - depth)) return true;
  } else if (depth != 0 ? fits(attempt->value) : value == attempt->value) {
    return true;
  }
  return std::any_of(planted_.begin(), planted_.end(), fits);
}

}  // namespace scenarios::argpack
