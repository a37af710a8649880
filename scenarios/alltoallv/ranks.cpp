// How it works. Every rank walks down the plan; each op is an activation of its own, named after
// its slot and the rank. A rank takes what it posted to its end in `wait`, and checks it there.
#include "scenarios/alltoallv/ranks.h"

#include <fmt/format.h>

#include <algorithm>

namespace scenarios::alltoallv {

using harness::Label;
using targets::alltoallv::Arguments;
using targets::alltoallv::Collective;
using targets::alltoallv::Topology;

Job::Job(harness::Scene& scene, const Shape& shape)
    : scene_(scene),
      rank_count_(alltoallv::rank_count(scene.config())),
      calm_(scene.pick(harness::Site::argument, 2) != 0),
      plan_(make_plan(scene, shape, rank_count_)),
      shape_(shape),
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
  if (calm_) scene_.world().calls_may_fail = false;
  while (path_->open(rank) != Status::ok) {
  }
  path_->create_team(rank, Topology::direct);
  for (std::uint32_t i = 0; i < shape_.thread_count; ++i) path_->start_progress_thread(rank);
  for (const Step& step : plan_) {
    if (step.concerns(rank)) take_step(rank, step);
    if (shape_.blocking) finish_all(rank);
  }
  finish_all(rank);
  leave(rank);
}

void Job::leave(std::uint32_t rank) {
  for (std::uint32_t rest = std::exchange(kept_[rank], 0); rest != 0; rest &= rest - 1)
    path_->finalize(rank, static_cast<std::uint32_t>(std::countr_zero(rest)));
  path_->destroy_team(rank);
  for (std::uint32_t buffer = 0; buffer < targets::alltoallv::kBufferCount; ++buffer)
    if (path_->filled(rank, buffer)) path_->drop(rank, buffer);
  dropped_.count_down();
  if (rank == 0) {
    dropped_.wait();
    scene_.world().heap.finish_collection();  // While it runs, nobody else can collect.
    path_->collect(rank);
    collected_.count_down();
  }
  collected_.wait();
  path_->close(rank);
  closed_.count_down();
}

void Job::run_launcher() {
  for (const Step& step : plan_) {
    harness::Scheduler& scheduler = scene_.world().scheduler;
    const harness::ActivationScope slot(scheduler, 0, step.slot);
    scheduler.note(harness::EventKind::op, kOps[harness::raw(step.op)].name);
  }
  closed_.wait();
  scene_.mark_quiescent();
}

void Job::take_step(std::uint32_t rank, const Step& step) {
  harness::World& world = scene_.world();
  const harness::ActivationScope activation(world.scheduler, harness::slot_name(0, step.slot),
                                            "rank", rank);
  world.scheduler.delay_point("between two calls");
  const Label name = kOps[harness::raw(step.op)].name;
  const std::size_t event = world.history.events().size();
  world.scheduler.note(harness::EventKind::op, name);
  const Status status = perform(rank, step);
  world.history.set_value(event, harness::raw(status));
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
      path_->drop(rank, step.buffer);
      break;
    case Op::drop:
      path_->drop(rank, step.buffer);
      break;
    case Op::make_cycle:
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
  std::uint32_t& filled = filled_[rank][step.buffer];
  if (!path_->filled(rank, step.buffer)) {
    while (path_->fill(rank, step.buffer, step.slot, step.stream) != Status::ok) {
    }
    filled = step.slot;
  }
  fills_[step.slot][rank] = filled;
  Status status;
  while ((status = path_->init(rank, step.slot, arguments)) == Status::driver_error) {
  }
  if (status != Status::ok) return status;
  if (step.op == Op::init_only) {
    path_->finalize(rank, step.slot);
    return Status::ok;
  }
  if (step.op == Op::persistent) kept_[rank] |= 1U << step.slot;
  outstanding_[rank] |= 1U << step.slot;
  if (step.triggered == rank)
    path_->triggered_post(rank, step.slot);
  else
    path_->post(rank, step.slot);
  return Status::ok;
}

Job::Status Job::post_again(std::uint32_t rank, const Step& step) {
  if ((kept_[rank] >> step.of & 1) == 0) return Status::no_buffer;
  if ((outstanding_[rank] >> step.of & 1) != 0) finish(rank, step.of);
  outstanding_[rank] |= 1U << step.of;
  path_->post(rank, step.of);
  return Status::ok;
}

void Job::finish(std::uint32_t rank, std::uint32_t slot) {
  outstanding_[rank] &= ~(1U << slot);
  if (path_->wait(rank, slot) == Status::ok) {
    const ExpectedRows expected = expected_of(step_at(slot), rank, rank_count_, fills_[slot]);
    path_->check(rank, slot, expected);
  }
  if ((kept_[rank] >> slot & 1) == 0) path_->finalize(rank, slot);
}

void Job::finish_all(std::uint32_t rank) {
  while (outstanding_[rank] != 0)
    finish(rank, static_cast<std::uint32_t>(std::countr_zero(outstanding_[rank])));
}

void Job::renew_team(std::uint32_t rank, const Step& step) {
  finish_all(rank);
  for (std::uint32_t rest = std::exchange(kept_[rank], 0); rest != 0; rest &= rest - 1)
    path_->finalize(rank, static_cast<std::uint32_t>(std::countr_zero(rest)));
  path_->destroy_team(rank);
  path_->create_team(rank, step.topology);
}

// ---- what the judges hear -----------------------------------------------------------------------

void Job::read(const targets::alltoallv::Reading& reading) {
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
