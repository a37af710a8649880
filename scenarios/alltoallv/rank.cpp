// SPDX-License-Identifier: Apache-2.0
// How it works. A rank finishes its posted collectives in `wait`, and checks them there. A quiet
// job is the smallest for its plan: it starts with the first team that the plan asks for, and
// collects no garbage.
#include "scenarios/alltoallv/rank.h"

namespace scenarios::alltoallv {

using harness::Label;

void Rank::run() {
  if (state_.plan.empty()) {
    job_.closed.count_down();
    return;
  }
  if (!state_.calls_may_fail()) job_.scene.world().calls_may_fail = false;
  if (job_.answers.insist("open", {}, [&] { return job_.path->open(rank_); }) != Status::ok) return;
  const Step& first = state_.plan.front();
  create_team(0, state_.is_quiet() && first.team == 0 ? first.topology : Topology::direct);
  for (std::uint32_t i = 0; i < state_.shape.thread_count; ++i)
    job_.path->start_progress_thread(rank_);
  if (state_.theme.served && rank_ == 0) start_slow_thread();
  if (harness::holds_tasks_up()) job_.path->start_spare_thread(rank_);
  for (const Step& step : state_.plan) {
    if (step.concerns(rank_)) take_step(step);
    if (state_.shape.blocking) collectives_.finish_all();
  }
  collectives_.finish_all();
  leave();
}

// A slow thread still holds tasks that the rank's own task would have finished long ago.
void Rank::start_slow_thread() {
  constexpr std::array<std::uint32_t, 4> kRatios{1, 4, 16, 64};
  const std::uint32_t choice = job_.scene.pick(harness::Site::argument, kRatios.size());
  job_.path->start_progress_thread(rank_);
  harness::Scheduler& scheduler = job_.scene.world().scheduler;
  scheduler.pace().set_skew(static_cast<harness::TaskId>(scheduler.tasks().count() - 1),
                            kRatios[choice]);
}

// ---- steps --------------------------------------------------------------------------------------

/// Calls a function of a step, and returns its status; ok if it returns none.
template <auto function>
static Rank::Status call(Rank& rank, const Step& step) {
  if constexpr (std::is_same_v<decltype((rank.*function)(step)), Rank::Status>)
    return (rank.*function)(step);
  else
    (rank.*function)(step);
  return Rank::Status::ok;
}

constexpr auto kCalls = std::to_array({
#define OP(name, when, run) &call<&Rank::run>,
#include "scenarios/alltoallv/ops.def"
});

void Rank::take_step(const Step& step) {
  harness::World& world = job_.scene.world();
  const harness::ActivationScope activation(world.scheduler, harness::slot_name(0, step.slot),
                                            "rank", rank_);
  if (!state_.is_quiet()) world.scheduler.delay_point("between two calls");
  const Label name = kOps[harness::raw(step.op)].name;
  const std::size_t event = world.history.events().size();
  world.scheduler.note(harness::EventKind::op, name);
  const Status status = kCalls[harness::raw(step.op)](*this, step);
  world.history.set_value(event, harness::raw(status));
  job_.facts.call_returned(rank_);
  job_.scene.count_op(harness::raw(step.op));
}

void Rank::renew(const Step& step) {
  if (rank_ == step.behind) return stay_behind(step.delay);
  collectives_.finish_all();
  collectives_.drop(step.buffer);
}

// Delays outstanding collectives; then, once its copies are done, the next ones.
void Rank::stay_behind(const Delay& delay) {
  constexpr int kPolls = 6;  // Its copies may need several polls.
  pass(delay.before);
  job_.state.planned_polls[rank_] += kPolls;
  for (int i = 0; i < kPolls; ++i) job_.path->progress(rank_);
  pass(delay.after);
}

void Rank::make_cycle(const Step& step) {
  job_.facts.update().cycled(rank_, step.buffer);
  job_.path->make_cycle(rank_, step.buffer);
}

void Rank::pass(std::uint32_t turns) {
  for (; turns > 0; --turns) job_.scene.world().scheduler.turn({});
}

// ---- teams --------------------------------------------------------------------------------------

void Rank::new_team(const Step& step) {
  if (state_.is_quiet() && state_.teams[0][rank_].topology == step.topology) return;
  destroy_team(0);
  create_team(0, step.topology);
}

void Rank::second_team(const Step& step) {
  two_teams_ = true;
  create_team(step.team, step.topology);
}

void Rank::end_team(const Step& step) {
  two_teams_ = false;
  destroy_team(step.team);
}

void Rank::create_team(std::uint32_t team, Topology topology) {
  job_.facts.update().team_begun(rank_, team, topology);
  const Births births(job_.scene.world());
  job_.path->create_team(rank_, team, topology);
  job_.facts.team_made(rank_, team, births);
}

void Rank::destroy_team(std::uint32_t team) {
  collectives_.finish_team(team);
  job_.path->destroy_team(rank_, team);
  job_.facts.team_destroyed(rank_, team);
}

// ---- the end ------------------------------------------------------------------------------------

void Rank::leave() {
  collectives_.finalize_kept();
  if (two_teams_) destroy_team(1);
  destroy_team(0);
  for (std::uint32_t buffer = 0; buffer < targets::alltoallv::kBufferCount; ++buffer)
    if (state_.source_in(rank_, buffer) != nullptr) collectives_.drop(buffer);
  if (!state_.is_quiet()) collect_all();
  job_.facts.call_returned(rank_);
  job_.facts.process_closes(rank_);
  job_.path->close(rank_);
  job_.facts.process_closed(rank_);
  job_.closed.count_down();
}

void Rank::collect_all() {
  job_.dropped.count_down();
  if (rank_ == 0) {
    job_.dropped.wait();
    job_.scene.world().heap.finish_collection();  // No other collection can run during this one.
    const auto collect = [this] {
      job_.path->collect(rank_);
      job_.collected.count_down();
    };
    if (state_.theme.litters)
      job_.scene.world().scheduler.spawn("garbage", collect);  // A thread without a context.
    else
      collect();
  }
  if (state_.theme.litters && rank_ != 0) poll();
  job_.collected.wait();
  job_.path->progress(rank_);  // Frees memory that the collector left to this process.
}

// Frees memory that the collector leaves to this process, as it arrives.
void Rank::poll() {
  constexpr int kPolls = 32;
  job_.dropped.wait();
  job_.state.planned_polls[rank_] += kPolls;
  for (int i = 0; i < kPolls; ++i) {
    job_.path->progress(rank_);
    pass(1);
  }
}

}  // namespace scenarios::alltoallv
