// SPDX-License-Identifier: Apache-2.0
// How it works. A call is judged when it returns, by the conditions and effects that the model has
// noted during it. The harness's own oracles judge all else: use-after-free, accesses to the wrong
// generation, leaks (objects alive after everything was dropped, collected and synchronised once,
// which gives deferred frees one synchronize()).
#include "scenarios/argpack/judge.h"

#include <fmt/format.h>

#include "harness/core/fault/kinds.h"
#include "harness/run/scenario/faults.h"
#include "harness/run/scenario/kernels.h"
#include "scenarios/argpack/model/expect.h"

namespace scenarios::argpack {

using harness::Fault;
using harness::FaultKind;
using harness::Label;
using harness::raw;
using targets::argpack::kHoldLimit;
using targets::argpack::Status;

// ---- one call -----------------------------------------------------------------------------------

namespace {

using namespace targets::argpack;  // For its interfaces.

/// Calls this function of the path with values of its parameters' types.
template <class Interface, class... Parameters>
Status invoke(const Argpack& path, Status (Interface::*function)(Parameters...),
              const Values& values) {
  auto& interface = std::get<Interface&>(
      std::tie(path.programs, path.packs, path.arrays, path.globals, path.garbage, path.contexts));
  return [&]<std::size_t... index>(std::index_sequence<index...>) {
    return (interface.*function)(static_cast<Parameters>(values[index])...);
  }(std::index_sequence_for<Parameters...>());
}
Status invoke(const Argpack& path, Status (Calls::*function)(const Arguments&),
              const Values& values) {
  const auto& [pack, array, external, returns, too_many] = values;
  return (path.calls.*function)({pack, array, external, returns != 0, too_many != 0});
}
Status invoke(const Argpack&, std::nullptr_t, const Values&) {
  HARNESS_CHECK(false, "an op of several calls is called by its parts");
  return Status::ok;
}

constexpr auto kFunctions = std::to_array<Status (*)(const Argpack&, const Values&)>({
#define OP(name, condition, call, function, ...) \
  [](const Argpack& path, const Values& values) { return invoke(path, function, values); },
#include "scenarios/argpack/ops.def"
});

}  // namespace

Status Judge::call(Op op, const Values& values) {
  Attempt attempt = attempt_of(op, values);
  begin(attempt);
  const Status status = kFunctions[raw(op)](*path_, values);
  end(attempt, status);
  return status;
}

void Judge::begin(Attempt& attempt) {
  attempt.answered = answered_;
  running_.begin(attempt);
  const bool launches = (attempt.due() & kSubmitted) != 0;
  if (launches && attempt.alone && anything_gone()) attempt.idle = is_idle();
}

void Judge::end(Attempt& attempt, Status status) {
  running_.end();
  if (undisturbed()) judge(attempt, status);
}

/// Returns whether no fault was found so far. Later ones may be consequences.
bool Judge::undisturbed() const { return scene_.world().history.faults().empty(); }

void Judge::judge(Attempt& attempt, Status status) {
  if (status == Status::ok) {
    // A finalizer of the script may have changed the conditions during the op.
    Cases certain = attempt.disturbed || running_.any_planted() ? 0 : attempt.at_begin;
    if (certain != 0) certain &= cases_of(attempt, model_);
    return judge_ok(attempt, certain);
  }
  attempt.seen |=
      cases_of(attempt, model_) | (met_failure(attempt, scene_.world()) ? kInjected : 0);
  for (const Refusal& row : refusals())
    if (row.concerns(attempt) && row.status == status && (row.due & attempt.seen) != 0)
      return note_refusal(attempt.op, row);
  refuse(attempt, fmt::format("answered {}, which nothing accounts for", to_label(status).view()));
}

/// Notes that a refusal keeps the script out of a window.
void Judge::note_refusal(Op op, const Refusal& row) {
  const Way way = op == Op::call ? Way::kernel : Way::context;
  if (row.keeps_out) scene_.keep_out(raw(*row.keeps_out), raw(way));
}

void Judge::judge_ok(const Attempt& attempt, Cases certain) {
  for (const Refusal& row : certain != 0 ? refusals() : std::span<const Refusal>())
    if (row.concerns(attempt) && (row.required & certain) != 0 &&
        (!row.protects || claims_soundness()))
      return refuse(attempt, fmt::format("answered ok, where {} is due: {}",
                                         to_label(row.status).view(), row.reason));
  const Deeds due = attempt.due();
  if ((attempt.done & due) != due) return refuse(attempt, "answered ok and did not do it");
  if (ignored_failure(attempt, scene_.world()))
    return refuse(attempt, "answered ok, although one of its CUDA calls failed");
  const bool binds = (due & (kBound | kSubmitted)) != 0;
  if (binds && running_.stayed_alone(attempt) && !bound_as_given(attempt, model_))
    return refuse(attempt, "answered ok and bound something else");
  if ((due & kSubmitted) != 0) ++answered_;
  if ((due & kRead) != 0) ++read_;
  judge_work(attempt);
  if (undisturbed() && !closed_) judge_bounds(attempt);
}

bool Judge::claims_soundness() const {
  return scene_.scenario().variants[scene_.variant()].claim.kind == harness::ClaimKind::sound;
}

void Judge::refuse(const Attempt& attempt, std::string answer) {
  scene_.refuse(kOps[raw(attempt.op)].name, std::move(answer));
}

// ---- work ---------------------------------------------------------------------------------------

void SeenWork::look() {
  const auto& events = history_.events();
  for (; seen_events_ < events.size(); ++seen_events_) {
    const harness::Event& event = events[seen_events_];
    if (event.kind == harness::EventKind::submit) {
      ++all_.submitted;
      kernels_.submitted += targets::argpack::is_kernel(event.what);
    } else if (event.kind == harness::EventKind::finish) {
      ++all_.finished;
      kernels_.finished += targets::argpack::is_kernel(event.what);
    }
  }
}

bool Judge::is_idle() {
  work_.look();
  return work_.is_idle() && work_.kernels().submitted == model_.launches;
}

// Without injected errors, every launch that returned ok before this op has been submitted by a
// flush, and has finished after a wait.
void Judge::judge_work(const Attempt& attempt) {
  const bool waits = attempt.op == Op::synchronize;
  if ((!waits && attempt.op != Op::flush) || !counts_kernels()) return;
  work_.look();
  const std::uint32_t done = waits ? work_.kernels().finished : work_.kernels().submitted;
  if (done < attempt.answered)
    refuse(attempt, fmt::format("{} launches were answered with ok, and {} kernels {}",
                                attempt.answered, done, waits ? "have run" : "were submitted"));
}

// If all results were read, all kernels ran. On a GPU, no other evidence is available.
bool Judge::counts_kernels() const {
  return harness::sees_kernels(scene_.world()) && undisturbed() &&
         scene_.world().injected_failures == 0 && answered_ != read_;
}

void Judge::judge_end() {
  if (!counts_kernels()) return;
  work_.look();
  const std::uint32_t finished = work_.kernels().finished;
  if (finished < answered_ || finished > model_.launches)
    scene_.refuse("launch",
                  fmt::format("{} launches were answered with ok, and {} kernels have run",
                              answered_, finished));
}

// ---- boundedness --------------------------------------------------------------------------------

/// Returns whether an unusable object may be alive.
bool Judge::anything_gone() {
  const harness::Ledger& ledger = scene_.world().ledger;
  std::erase_if(model_.gone, [&](Thing* thing) {
    thing->listed = thing->gone && ledger.alive(thing->beneath);
    return !thing->listed;
  });
  return !model_.gone.empty();
}

template <class Due>
void Judge::judge_gone(const Attempt& attempt, Label bound, Due due) {
  std::erase_if(model_.gone, [&](Thing* thing) {
    // This op, or another one that was running at its release, may still have it in a frame.
    const bool may_be_used =
        thing->released >= attempt.began || running_.any_since(thing->released);
    if (thing->uncertain || may_be_used || !model_.is_unusable(*thing) || !due(*thing))
      return false;
    Fault fault = scene_.world().ledger.describe(FaultKind::retention, thing->beneath);
    fault.use_site = bound;
    fault.activation = scene_.world().picker.current().name;
    fault.tick = scene_.world().scheduler.now();
    fault.detail = fmt::format("it could not be used since operation {}; this is operation {}",
                               thing->released, attempt.began);
    scene_.world().history.add(std::move(fault));
    return true;
  });
}

void Judge::judge_bounds(const Attempt& attempt) {
  const Deeds due = attempt.due();
  if ((due & (kFinished | kSubmitted)) == 0 || !anything_gone()) return;
  if ((due & kFinished) != 0) {
    judge_gone(attempt, "bound/synchronize", [](const Thing&) { return true; });
  } else if (scene_.world().injected_failures == 0) {
    const bool idle = attempt.idle && running_.stayed_alone(attempt) && running_.none();
    if (idle) judge_gone(attempt, "bound/idle", [](const Thing&) { return true; });
    judge_gone(attempt, "bound/launches",
               [&](const Thing& thing) { return model_.launches - thing.launches >= kHoldLimit; });
  }
}

// A Program may own only one object of each of these kinds, however often it was reset.
void judge(harness::Scene& scene) {
  if (!scene.observed().quiescent) return;
  for (const Label kind : targets::argpack::kProgramOwnedKinds) {
    std::size_t count = 0;
    const harness::Life* last = nullptr;
    for (const harness::Life& life : scene.world().ledger.lives()) {
      if (!life.alive || !(life.kind == kind)) continue;
      ++count;
      last = &life;
    }
    if (count > 1)
      scene.world().history.add(harness::retention_of(
          scene, *last, fmt::format("{} alive, where the Program owns one", count)));
  }
}

// ---- values -------------------------------------------------------------------------------------

void Judge::made(const targets::argpack::Making& making) {
  Update::made(making);
  const bool is_gradient = making.kind == Kind::ndarray && making.value == 0;
  if (making.kind != Kind::context && !is_gradient) check_value(making.value, making.depth);
}

void Judge::assigned(ThingId thing, std::int64_t value) {
  Update::assigned(thing, value);
  check_value(value, 0);
}

void Judge::scalar_set(ThingId context, std::int64_t value) {
  Update::scalar_set(context, value);
  check_value(value, 0);
}

// A value that the scenario did not assign would make the model agree with a path that invents it.
void Judge::check_value(std::int64_t value, std::uint32_t depth) {
  if (!running_.handed_out(value, depth))
    scene_.expect("value", static_cast<std::uint64_t>(value),
                  static_cast<std::uint64_t>(running_.current()->value));
}

void Judge::contents(ThingId array, std::span<const std::int32_t> words) {
  judge_contents(scene_, *model_.find(array), words);
  Update::contents(array, words);
}

void Judge::read(ThingId context, std::span<const std::int32_t> words) {
  judge_reading(scene_, model_.context(context).at_launch, words);
  Update::read(context, words);
}

// Skips arrays on the device: reading one waits for the device, so that nothing would be in flight
// when the script drops everything.
void Judge::look_at_host_arrays() {
  for (Variable variable = 0; variable < targets::argpack::kVariableCount; ++variable) {
    const Thing* thing = model_.held_by(variable);
    if (thing != nullptr && thing->kind == Kind::external && thing->on_host)
      call(Op::to_numpy, {variable});
  }
}

}  // namespace scenarios::argpack
