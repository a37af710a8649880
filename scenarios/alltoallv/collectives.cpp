// SPDX-License-Identifier: Apache-2.0
#include "scenarios/alltoallv/collectives.h"

#include <bit>

#include "scenarios/alltoallv/model/expect.h"

namespace scenarios::alltoallv {

using targets::alltoallv::Arguments;

static constexpr targets::alltoallv::Buffer kNoBuffer = 0xfe;

// ---- beginning ----------------------------------------------------------------------------------

Collectives::Status Collectives::begin(const Step& step) {
  const Arguments arguments{.collective = *step.collective,
                            .source = step.buffer,
                            .null_source = step.silent == rank_,
                            .offset = step.offset,
                            .stream = step.stream,
                            .team = step.team,
                            .in_place = step.in_place,
                            .persistent = step.persistent,
                            .exchange = exchange_of(step, rank_, state_.rank_count)};
  const bool fills = !state_.is_quiet() || !arguments.null_source;
  if (fills && fill(step) != Status::ok) return Status::driver_error;
  job_.facts.update().source_given(rank_, step.slot, step.buffer);
  const Status status = init(step, arguments);
  if (arguments.in_place)
    job_.scene.expect("in place", harness::raw(status), harness::raw(Status::not_supported));
  if (status != Status::ok) return status;
  if (step.init_only) {
    finalize(step.slot);
    return Status::ok;
  }
  if (step.persistent) kept_ |= 1U << step.slot;
  post(step.slot, step.triggered == rank_);
  return Status::ok;
}

// Retries failed calls before init: they are the caller's own, not part of the path.
Collectives::Status Collectives::init(const Step& step, const Arguments& arguments) {
  const auto prepare = [&] { return job_.path->prepare(rank_, step.slot, arguments); };
  if (!arguments.in_place && job_.answers.insist("prepare", {}, prepare) != Status::ok)
    return Status::driver_error;
  const Status status = job_.answers.insist("init", {.in_place = arguments.in_place}, [&] {
    const Births births(job_.scene.world());
    const Status answer = job_.path->init(rank_, step.slot, arguments);
    if (answer != Status::ok && state_.bounded && !births.all_freed())
      retain(job_.scene, births.last_allocation(), "init has failed");
    return answer;
  });
  if (status == Status::ok)
    job_.facts.update().begun(rank_, step.slot, arguments.null_source ? kNoBuffer : step.buffer);
  return status;
}

Collectives::Status Collectives::fill(const Step& step) {
  if (state_.source_in(rank_, step.buffer) != nullptr) return Status::ok;
  return job_.answers.insist("fill", {}, [&] {
    const Births births(job_.scene.world());
    const Status answer = job_.path->fill(rank_, step.buffer, step.slot, step.stream);
    if (answer == Status::ok) {
      job_.facts.update().filled(rank_, step.buffer, step.slot, step.stream);
    } else if (state_.bounded && !births.all_freed()) {
      retain(job_.scene, births.last_allocation(), "fill has failed");
    }
    return answer;
  });
}

void Collectives::post(std::uint32_t slot, bool triggered) {
  outstanding_ |= 1U << slot;
  if (triggered)
    job_.path->triggered_post(rank_, slot);
  else
    job_.path->post(rank_, slot);
}

// Clears the destination: data of the last post would hide that this one does nothing. A quiet job
// skips this.
Collectives::Status Collectives::post_again(const Step& step) {
  if ((kept_ >> step.of & 1) == 0) return Status::no_buffer;
  if ((outstanding_ >> step.of & 1) != 0) finish(step.of);
  if (!state_.is_quiet())
    job_.answers.insist("scrub", {}, [&] { return job_.path->scrub(rank_, step.of); });
  post(step.of, false);
  return Status::ok;
}

// ---- ending -------------------------------------------------------------------------------------

void Collectives::finish_all_of(std::uint32_t slots) {
  while ((outstanding_ & slots) != 0)
    finish(static_cast<std::uint32_t>(std::countr_zero(outstanding_ & slots)));
}

void Collectives::finish_team(std::uint32_t team) {
  std::uint32_t slots = 0;
  for (const Step& step : state_.plan) slots |= std::uint32_t{step.team == team} << step.slot;
  finish_all_of(slots);
  finalize_kept_of(slots);
}

void Collectives::finish(std::uint32_t slot) {
  outstanding_ &= ~(1U << slot);
  const Status status = job_.path->wait(rank_, slot);
  job_.facts.call_returned(rank_);
  job_.facts.post_finished(slot);
  job_.scene.expect("test", harness::raw(job_.path->test(rank_, slot)), harness::raw(status));
  job_.answers.judge_ending(rank_, slot, status);
  if (status == Status::ok) check(slot);
  if ((kept_ >> slot & 1) == 0) finalize(slot);
}

// A result of ok means that all data have arrived, which is checked.
void Collectives::check(std::uint32_t slot) {
  const Rows rows =
      expected_rows(state_.step_at(slot), rank_, state_.rank_count, state_.fills[slot]);
  const std::uint32_t before = state_.reading_count;
  const Status status =
      job_.answers.insist("check", {}, [&] { return job_.path->check(rank_, slot, rows); });
  if (status == Status::ok && state_.reading_count == before)
    job_.scene.refuse("check", "nothing was read back");
}

void Collectives::finalize(std::uint32_t slot) {
  job_.path->finalize(rank_, slot);
  job_.facts.finalized(rank_, slot);
}

void Collectives::finalize_kept_of(std::uint32_t slots) {
  std::uint32_t rest = kept_ & slots;
  kept_ &= ~slots;
  for (; rest != 0; rest &= rest - 1) finalize(static_cast<std::uint32_t>(std::countr_zero(rest)));
}

void Collectives::drop(std::uint32_t buffer) {
  job_.path->drop(rank_, buffer);
  job_.facts.dropped(rank_, buffer);
}

}  // namespace scenarios::alltoallv
