// SPDX-License-Identifier: Apache-2.0
// A job: the plan, the launcher, and one process per rank.
#include <algorithm>

#include "scenarios/alltoallv/judges/calls.h"
#include "scenarios/alltoallv/rank.h"
#include "scenarios/alltoallv/variants.h"

namespace scenarios::alltoallv {

using harness::Label;
using harness::Scene;
using targets::alltoallv::Setup;

std::uint32_t rank_count(const harness::Config& config) { return 2U + config.values[kRanksAxis]; }

std::uint32_t slot_count(const harness::Config& config) {
  return std::array{1U, 2U, 8U}[config.values[kConcurrentAxis]];
}

bool closes_at_zero(const harness::Config& config) { return config.values[kCloseAxis] != 0; }

bool copies_in_batches(const harness::Config& config) { return config.values[kCopiesAxis] != 0; }

/// Returns how many numbers the plan takes from a team if no call fails.
static std::uint32_t number_count(const State& state, std::uint32_t team) {
  const auto takes_one = [&](const Step& step) {
    if (step.op == Op::post_again) return state.step_at(step.of).team == team;
    return step.collective.has_value() && !step.in_place && step.team == team;
  };
  return static_cast<std::uint32_t>(std::count_if(state.plan.begin(), state.plan.end(), takes_one));
}

static void run_launcher(Job& job) {
  harness::Scheduler& scheduler = job.scene.world().scheduler;
  for (const Step& step : job.state.plan) {
    const harness::ActivationScope slot(scheduler, 0, step.slot);
    scheduler.note(harness::EventKind::op, kOps[harness::raw(step.op)].name);
  }
  job.closed.wait();
  if (job.state.bounded) {
    report_wrong_calls(job.scene);
    report_left_contexts(job.scene);
    report_busy_opens(job.scene, job.state.planned_polls);
  }
  job.scene.mark_quiescent();
}

// Ten slots for two ranks, five for eight, because each slot takes longer with more ranks.
void drive(Scene& scene) {
  drive_shaped(scene, {.slots = 4 + 12 / rank_count(scene.config()), .closing_slots = 4});
}

void drive_shaped(Scene& scene, const Shape& shape) {
  drive_path(scene, shape, maker_of(scene.variant()));
}

void drive_path(Scene& scene, const Shape& shape, Maker make) {
  static constexpr std::array<Label, kRankLimit> kNames{"rank0", "rank1", "rank2", "rank3",
                                                        "rank4", "rank5", "rank6", "rank7"};
  harness::Scheduler& scheduler = scene.world().scheduler;
  scene.world().heap.configure({.gil = false, .collect_at = harness::CollectAt::allocation});
  auto* runtime = scheduler.arena().make<harness::Runtime>(scene.runtime());
  auto* job = scheduler.arena().make<Job>(scene, shape);
  const State& state = job->state;
  scene.set_state(*job);
  const Setup setup{.rank_count = state.rank_count,
                    .slot_count = slot_count(scene.config()),
                    .request_count = shape.slots + shape.closing_slots,
                    .number_count = {number_count(state, 0), number_count(state, 1)},
                    .close_at_zero = closes_at_zero(scene.config()),
                    .batch_copies = copies_in_batches(scene.config()),
                    .pooled = state.theme.pooled,
                    .scratch = std::any_of(state.plan.begin(), state.plan.end(),
                                           [](const Step& step) { return step.uses_scratch(); }),
                    .quiet = state.is_quiet(),
                    .observer = &job->facts};
  job->path = make(*runtime, setup);
  scene.mark_baseline();
  scheduler.spawn("job", [job] { run_launcher(*job); });
  for (std::uint32_t rank = 0; rank < setup.rank_count; ++rank) {
    const harness::ProcessScope process(scheduler, static_cast<harness::ProcessId>(rank));
    auto* program = scheduler.arena().make<Rank>(*job, rank);
    scheduler.spawn(kNames[rank], [program] { program->run(); });
  }
}

}  // namespace scenarios::alltoallv
