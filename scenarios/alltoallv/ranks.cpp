// How it works. Every rank walks down the plan; each op is an activation of its own, named after
// its slot and the rank. A rank takes what it posted to its end in `wait`, and checks it there.
#include "scenarios/alltoallv/ranks.h"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/alltoallv/calls.h"

namespace scenarios::alltoallv {

using harness::BirthId;
using harness::Label;
using targets::alltoallv::Arguments;
using targets::alltoallv::Collective;

Job::Job(harness::Scene& scene, const Shape& shape)
    : scene_(scene),
      rank_count_(alltoallv::rank_count(scene.config())),
      calm_(scene.pick(harness::Site::argument, 2) != 0),
      theme_(theme(scene.pick(harness::Site::argument, kThemeCount))),
      plan_(make_plan(scene, theme_, shape, rank_count_)),
      shape_(shape),
      bounded_(scene.scenario().variants[scene.variant()].claim.kind == harness::ClaimKind::sound),
      slots_(scene, rank_count_, bounded_),
      ghost_(scene, slots_),
      mappings_(scene, bounded_),
      memory_(scene, bounded_),
      leftovers_(scene),
      dropped_(scene.world().scheduler, rank_count_, "dropped"),
      collected_(scene.world().scheduler, 1, "collected"),
      closed_(scene.world().scheduler, rank_count_, "closed") {}

bool Job::uses_scratch() const {
  return std::any_of(plan_.begin(), plan_.end(),
                     [](const Step& step) { return step.uses_scratch(); });
}

const Step& Job::step_at(std::uint32_t slot) const {
  return *std::find_if(plan_.begin(), plan_.end(),
                       [slot](const Step& step) { return step.slot == slot; });
}

// ---- a rank -------------------------------------------------------------------------------------

// A call that is told to fail is made again: the job goes on, or it would show nothing.
void Job::run_rank(std::uint32_t rank) {
  if (plan_.empty()) {
    closed_.count_down();
    return;
  }
  if (calm_ || theme_.quiet) scene_.world().calls_may_fail = false;
  if (insist("open", {}, [&] { return path_->open(rank); }) != Status::ok) return;
  if (theme_.quiet) topology_[rank] = plan_.front().topology;
  create_team(rank, topology_[rank]);
  for (std::uint32_t i = 0; i < shape_.thread_count; ++i) path_->start_progress_thread(rank);
  if (theme_.served && rank == 0) start_slow_thread(rank);
  for (const Step& step : plan_) {
    if (step.concerns(rank)) take_step(rank, step);
    if (shape_.blocking) finish_all(rank);
  }
  finish_all(rank);
  leave(rank);
}

// It has in hand what the rank's own task would have finished long ago.
void Job::start_slow_thread(std::uint32_t rank) {
  constexpr std::array<std::uint32_t, 4> kRatios{1, 4, 16, 64};
  const std::uint32_t choice = scene_.pick(harness::Site::argument, kRatios.size());
  path_->start_progress_thread(rank);
  harness::Scheduler& scheduler = scene_.world().scheduler;
  scheduler.set_skew(static_cast<harness::TaskId>(scheduler.task_count() - 1), kRatios[choice]);
}

void Job::run_launcher() {
  for (const Step& step : plan_) {
    harness::Scheduler& scheduler = scene_.world().scheduler;
    const harness::ActivationScope slot(scheduler, 0, step.slot);
    scheduler.note(harness::EventKind::op, kOps[harness::raw(step.op)].name);
  }
  closed_.wait();
  if (bounded_) {
    report_wrong_calls(scene_);
    report_left_contexts(scene_);
    report_busy_opens(scene_);
  }
  scene_.mark_quiescent();
}

void Job::take_step(std::uint32_t rank, const Step& step) {
  harness::World& world = scene_.world();
  const harness::ActivationScope activation(world.scheduler, harness::slot_name(0, step.slot),
                                            "rank", rank);
  if (!theme_.quiet) world.scheduler.delay_point("between two calls");
  const Label name = kOps[harness::raw(step.op)].name;
  const std::size_t event = world.history.events().size();
  world.scheduler.note(harness::EventKind::op, name);
  const Status status = perform(rank, step);
  world.history.set_value(event, harness::raw(status));
  mappings_.settle(rank);
  scene_.count_op(harness::raw(step.op));
}

Job::Status Job::perform(std::uint32_t rank, const Step& step) {
  switch (step.op) {
    case Op::alltoallv:
    case Op::alltoall:
    case Op::allgather:
    case Op::reduce_scatter:
    case Op::persistent:
    case Op::init_only:
    case Op::in_place:
      return begin(rank, step);
    case Op::post_again:
      return post_again(rank, step);
    case Op::wait:
      finish_all(rank);
      break;
    case Op::progress:
      path_->progress(rank);
      break;
    case Op::renew:
      if (rank == step.behind) return stay_behind(rank, step.turns);
      finish_all(rank);
      drop(rank, step.buffer);
      break;
    case Op::drop:
      drop(rank, step.buffer);
      break;
    case Op::make_cycle:
      memory_.cycled(rank, step.buffer);
      path_->make_cycle(rank, step.buffer);
      break;
    case Op::collect:
      path_->collect(rank);
      break;
    case Op::start_thread:
      path_->start_progress_thread(rank);
      break;
    case Op::new_team:
      renew_team(rank, step);
      break;
    case Op::sleep:
      return sleep(step.turns);
  }
  return Status::ok;
}

// Late for what is outstanding, and then for what comes next.
Job::Status Job::stay_behind(std::uint32_t rank, std::uint32_t turns) {
  constexpr int kPolls = 6;  // Its copies may take a while.
  sleep(turns);
  for (int i = 0; i < kPolls; ++i) path_->progress(rank);
  return sleep(turns);
}

Job::Status Job::sleep(std::uint32_t turns) {
  for (; turns > 0; --turns) scene_.world().scheduler.turn({});
  return Status::ok;
}

// ---- collectives --------------------------------------------------------------------------------

namespace {

constexpr targets::alltoallv::Buffer kNoBuffer = 0xfe;

Collective collective_of(Op op) {
  if (op == Op::alltoall) return Collective::alltoall;
  if (op == Op::allgather) return Collective::allgather_ring;
  if (op == Op::reduce_scatter) return Collective::reduce_scatter_linear;
  return Collective::alltoallv;
}

}  // namespace

Job::Status Job::begin(std::uint32_t rank, const Step& step) {
  Arguments arguments{.collective = collective_of(step.op),
                      .source = step.buffer,
                      .null_source = step.silent == rank,
                      .offset = step.offset,
                      .stream = step.stream,
                      .in_place = step.op == Op::in_place,
                      .persistent = step.op == Op::persistent,
                      .exchange = exchange_of(step, rank, rank_count_)};
  const bool fills = !is_quiet() || !arguments.null_source;
  if (fills && fill(rank, step) != Status::ok) return Status::driver_error;
  fills_[step.slot][rank] = filled_[rank][step.buffer];
  const Situation situation{.in_place = arguments.in_place};
  const Status status = init(rank, step, arguments, situation);
  if (arguments.in_place)
    scene_.expect("in place", harness::raw(status), harness::raw(Status::not_supported));
  if (status != Status::ok) return status;
  if (step.op == Op::init_only) {
    finalize(rank, step.slot);
    return Status::ok;
  }
  if (step.op == Op::persistent) kept_[rank] |= 1U << step.slot;
  post(rank, step.slot, step.triggered == rank);
  return Status::ok;
}

Job::Status Job::init(std::uint32_t rank, const Step& step, const Arguments& arguments,
                      const Situation& situation) {
  BirthId destination = BirthId::none;
  const Status status = insist("init", situation, [&] {
    const Births births(scene_.world());
    const Status answer = path_->init(rank, step.slot, arguments);
    if (answer == Status::ok)
      destination = births.last_allocation();
    else if (bounded_ && !births.all_freed())
      retain(scene_, births.last_allocation(), "init has failed");
    return answer;
  });
  if (status == Status::ok)
    memory_.begun(rank, step.slot, arguments.null_source ? kNoBuffer : step.buffer, destination);
  return status;
}

Job::Status Job::fill(std::uint32_t rank, const Step& step) {
  if (memory_.is_filled(rank, step.buffer)) return Status::ok;
  return insist("fill", {}, [&] {
    const Births births(scene_.world());
    const Status answer = path_->fill(rank, step.buffer, step.slot, step.stream);
    if (answer == Status::ok) {
      memory_.filled(rank, step.buffer, births.last_allocation());
      filled_[rank][step.buffer] = step.slot;
    } else if (bounded_ && !births.all_freed()) {
      retain(scene_, births.last_allocation(), "fill has failed");
    }
    return answer;
  });
}

void Job::post(std::uint32_t rank, std::uint32_t slot, bool triggered) {
  outstanding_[rank] |= 1U << slot;
  posted_at_[rank][slot][(slots_.round(rank, slot) + 1) % 2] =
      static_cast<std::uint32_t>(scene_.world().picker.tape().size());
  posted_event_[rank][slot] = static_cast<std::uint32_t>(scene_.world().history.events().size());
  if (triggered)
    path_->triggered_post(rank, slot);
  else
    path_->post(rank, slot);
}

// What the last post left in the destination would hide that this one does nothing. A quiet job
// leaves that to others.
Job::Status Job::post_again(std::uint32_t rank, const Step& step) {
  if ((kept_[rank] >> step.of & 1) == 0) return Status::no_buffer;
  if ((outstanding_[rank] >> step.of & 1) != 0) finish(rank, step.of);
  if (!is_quiet()) insist("scrub", {}, [&] { return path_->scrub(rank, step.of); });
  post(rank, step.of, false);
  return Status::ok;
}

void Job::finish(std::uint32_t rank, std::uint32_t slot) {
  outstanding_[rank] &= ~(1U << slot);
  const Status status = path_->wait(rank, slot);
  mappings_.settle(rank);
  slots_.finished(slot);
  scene_.expect("test", harness::raw(path_->test(rank, slot)), harness::raw(status));
  judge_ending(rank, slot, status);
  if (status == Status::ok) check(rank, slot);
  if ((kept_[rank] >> slot & 1) == 0) finalize(rank, slot);
}

// Answered ok: every block is where it should be, and that is looked at.
void Job::check(std::uint32_t rank, std::uint32_t slot) {
  const Rows rows = rows_of(expected_of(step_at(slot), rank, rank_count_, fills_[slot]));
  const std::uint32_t before = reading_count_;
  const Status status = insist("check", {}, [&] { return path_->check(rank, slot, rows); });
  if (status == Status::ok && reading_count_ == before)
    scene_.refuse("check", "nothing was read back");
}

void Job::finalize(std::uint32_t rank, std::uint32_t slot) {
  path_->finalize(rank, slot);
  memory_.finalized(rank, slot);
}

void Job::finalize_kept(std::uint32_t rank) {
  for (std::uint32_t rest = std::exchange(kept_[rank], 0); rest != 0; rest &= rest - 1)
    finalize(rank, static_cast<std::uint32_t>(std::countr_zero(rest)));
}

void Job::drop(std::uint32_t rank, std::uint32_t buffer) {
  path_->drop(rank, buffer);
  memory_.dropped(rank, buffer);
}

void Job::finish_all(std::uint32_t rank) {
  while (outstanding_[rank] != 0)
    finish(rank, static_cast<std::uint32_t>(std::countr_zero(outstanding_[rank])));
}

// ---- what the judges hear -----------------------------------------------------------------------

void Job::read(const targets::alltoallv::Reading& reading) {
  ++reading_count_;
  harness::World& world = scene_.world();
  const Step& step = step_at(reading.request);
  const ExpectedRows rows = expected_of(step, reading.rank, rank_count_, fills_[reading.request]);
  std::int32_t expected = 0;
  const int at = first_mismatch(rows, step.op == Op::reduce_scatter, reading.destination, expected);
  world.scheduler.note(harness::EventKind::observe, "destination", 0,
                       static_cast<std::uint32_t>(reading.destination[at < 0 ? 0 : at]));
  if (at < 0 && reading.mismatches == 0) return;
  harness::Fault fault;
  fault.kind = harness::FaultKind::wrong_value;
  fault.object_kind = "destination";
  fault.use_site = world.scheduler.site();
  fault.activation = world.picker.current().name;
  fault.tick = world.scheduler.now();
  fault.detail = at < 0 ? std::string("the check kernel saw what the host did not")
                        : fmt::format("element {} is {} instead of {}", at,
                                      reading.destination[static_cast<std::size_t>(at)], expected);
  world.history.add(std::move(fault));
}

}  // namespace scenarios::alltoallv
