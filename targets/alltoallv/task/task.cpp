// SPDX-License-Identifier: Apache-2.0
#include "targets/alltoallv/task/task.h"

#include "targets/alltoallv/policy.h"
#include "targets/alltoallv/task/waiting.h"

namespace targets::alltoallv {

using harness::SiteScope;

namespace {

/// Attributes a task's choices to the call that made the task, not to the call that polls it.
class Causing {
 public:
  Causing(harness::Scheduler& scheduler, harness::Activation& cause)
      : scheduler_(scheduler), previous_(scheduler.picker().enter(cause)) {}
  ~Causing() { scheduler_.picker().leave_to(previous_); }
  Causing(const Causing&) = delete;
  Causing& operator=(const Causing&) = delete;

 private:
  harness::Scheduler& scheduler_;
  harness::Activation* previous_;
};

}  // namespace

Task::Task(Rank& rank, Request request, const Arguments& arguments)
    : core_(rank.core),
      rank_(rank.number),
      post_{rank, request, arguments},
      operands_(post_),
      mappings_(post_),
      copies_(post_, operands_, mappings_),
      own_entry_(post_, operands_),
      slot_hold_(post_),
      steps_(post_, operands_, copies_, own_entry_) {
  activation_.name = core_.scheduler.name_next(kCollectiveActivation);
}

// ---- from init to finalize ----------------------------------------------------------------------

// Numbers a collective when it is made, as upstream does. If it fails later, this rank alone has a
// gap; if it is posted again, it keeps its number.
void Task::number() {
  post_.seq = post_.team().next_number();
  post_.slot = post_.seq % core_.setup.slot_count;
}

Status Task::prepare() {
  if (const Status status = copies_.find_stream(); status != Status::ok) return status;
  if (!operands_.take()) return Status::no_buffer;
  if (const Status status = copies_.take_event(); status != Status::ok) return status;
  return post_.copies_peers() ? operands_.export_to_peers() : Status::ok;
}

void Task::release() {
  operands_.release();
  copies_.give_back_event();
}

void Task::give_back() {
  operands_.give_back();
  copies_.give_back_event();
}

// ---- the stages ---------------------------------------------------------------------------------

void Task::start(bool triggered) {
  if (post_.round > 0)
    core_.tell([&](Observer& observer) {
      observer.posting_again({rank_, post_.request, post_.seq, post_.shared_slot().state.peek()});
    });
  if (core_.policy->numbers_posts()) number();
  ++post_.round;
  post_.triggered = triggered;
  if (rank_ == 0) slot_hold_.ask();
  core_.tell([&](Observer& observer) {
    observer.posted({rank_, post_.request, post_.slot_id(), post_.seq, post_.mark()});
  });
  stage_ = Stage::sync;
  status_ = Status::in_progress;
  queued_ = true;
}

bool Task::advance() {
  handover_.take();
  const Causing causing(core_.scheduler, activation_);
  const Stage before = stage_;
  const bool was_queued = queued_;
  bool moved = false;
  while (queued_ && step()) moved = true;
  handover_.give();
  return moved || stage_ != before || queued_ != was_queued;
}

// Returns true if the next stage can be tried at once.
bool Task::step() {
  switch (stage_) {
    case Stage::sync:
      return slot_hold_.get() && enter(Stage::setup, own_entry_.set_up(copies_.stream()));
    case Stage::setup:
      if (!pass(Crossing::setup)) return false;
      core_.delay_point("after the barrier test");
      mappings_.restart();
      return enter(Stage::map, agree());
    case Stage::map:
      return enter(post_.copies_peers() ? Stage::post_copies : Stage::steps,
                   mappings_.map_all(copies_.stream()));
    case Stage::post_copies:
      return enter(Stage::copy, copies_.submit_all());
    case Stage::steps:
      return step_on();
    case Stage::copy:
      return finish_copies();
    case Stage::completion:
      return pass_completion();
    case Stage::third_barrier:
      if (!pass(Crossing::release)) return false;
      end();
      return false;
    case Stage::initialized:
      return false;
  }
  return false;
}

bool Task::can_go_on() const {
  switch (stage_) {
    case Stage::sync:
      return slot_hold_.can_get();
    case Stage::setup:
    case Stage::completion:
    case Stage::third_barrier:
      return post_.shared_slot().barrier.passed(rank_);
    case Stage::map:
      return !mappings_.is_blocked();
    case Stage::steps:
      return steps_.can_advance();
    default:
      return true;
  }
}

harness::Label Task::waits_for() const {
  switch (stage_) {
    case Stage::sync:
      return slot_in_words(post_);
    case Stage::setup:
      return barrier_in_words(post_, Crossing::setup);
    case Stage::completion:
      return barrier_in_words(post_, Crossing::completion);
    case Stage::third_barrier:
      return barrier_in_words(post_, Crossing::release);
    case Stage::map:
      return "a mapping that is in the way";
    case Stage::steps:
      return "a neighbour's step";
    default:
      return "progress";
  }
}

bool Task::enter(Stage next, Status status) {
  if (status == Status::ok) {
    stage_ = next;
    return true;
  }
  if (status == Status::in_progress) return false;
  return fail(next, status);
}

// Returns the error, as upstream does, so that ranks at a barrier wait for ever. With
// joins_after_error, the rank copies nothing more but joins all remaining barriers.
bool Task::fail(Stage next, Status status) {
  const bool sets_up = is_triggered_set_up(next);
  core_.tell([&](Observer& observer) { observer.failed({rank_, post_.request, sets_up}); });
  if (sets_up && core_.policy->ignores_setup_errors()) return go_on_anyway();
  if (core_.policy->joins_after_error()) {
    error_ = status;
    if (next == Stage::setup) {
      stage_ = next;
      return true;
    }
    copies_.drain();
    own_entry_.give_up();
    stage_ = Stage::copy;
    return true;
  }
  core_.tell([&](Observer& observer) { observer.gave_up(rank_, post_.request); });
  const SiteScope site(core_.scheduler, kFailedSite);
  complete(status);
  return false;
}

// Like upstream: a set-up that fails frees the slot, even if another collective has it, and returns
// an error that its caller, the triggered post, ignores.
bool Task::go_on_anyway() {
  core_.tell([&](Observer& observer) { observer.went_on(rank_, post_.request); });
  slot_hold_.release();
  stage_ = Stage::post_copies;
  return true;
}

// Returns ok if no rank has failed.
Status Task::agree() {
  if (error_ != Status::ok) return error_;
  return peer_failed() ? Status::peer_error : Status::ok;
}

bool Task::peer_failed() {
  if (!core_.policy->tells_errors()) return false;
  for (std::uint32_t peer = 0; peer < core_.setup.rank_count; ++peer)
    if (peer != rank_ && post_.entry(peer).failed.read(post_.mark()) != 0) return true;
  return false;
}

bool Task::step_on() {
  const SiteScope site(core_.scheduler, "collective_steps");
  bool last = false;
  const Status status = steps_.advance(last);
  if (status == Status::in_progress) return false;
  if (status != Status::ok) return fail(Stage::copy, status);
  if (last) {
    stage_ = Stage::copy;
    core_.tell([](Observer& observer) { observer.copied(); });
  }
  return true;
}

// ---- the end ------------------------------------------------------------------------------------

bool Task::finish_copies() {
  const Status status = copies_.poll();
  if (status == Status::in_progress) return false;
  if (status != Status::ok) return fail(Stage::completion, status);
  if (core_.policy->unmaps_before_barrier()) mappings_.unmap_all();
  start_barrier(Stage::completion);
  return true;
}

void Task::start_barrier(Stage next) {
  stage_ = next;
  const bool last = barrier().start(rank_);
  if (last) core_.ring();
  const Crossing crossing = next == Stage::completion ? Crossing::completion : Crossing::release;
  core_.tell([&](Observer& observer) { observer.arrived({rank_, post_.request, crossing, last}); });
}

bool Task::pass(Crossing crossing) {
  if (!barrier().test(rank_)) return false;
  core_.tell([&](Observer& observer) { observer.passed({rank_, post_.request, crossing}); });
  return true;
}

bool Task::pass_completion() {
  if (!pass(Crossing::completion)) return false;
  core_.delay_point("after the barrier test");
  if (!core_.policy->unmaps_before_barrier()) mappings_.unmap_all();
  if (core_.policy->tells_errors() && error_ == Status::ok && proxy_failed())
    error_ = Status::peer_error;
  if (core_.policy->has_third_barrier()) {
    start_barrier(Stage::third_barrier);
    return true;
  }
  end();
  return false;
}

bool Task::proxy_failed() {
  for (const ProxyEntry& pair : post_.team().proxies())
    if (pair.destination == rank_ && post_.copies_peers() &&
        post_.entry(pair.proxy).broken[parity(post_)].read() == post_.use())
      return true;
  return false;
}

void Task::end() {
  slot_hold_.release();
  core_.delay_point("between release and completion");
  complete(error_);
}

void Task::complete(Status status) {
  core_.tell([&](Observer& observer) { observer.ended(rank_, post_.request); });
  stage_ = Stage::initialized;
  status_ = status;
  queued_ = false;
  error_ = Status::ok;
  core_.ring();
}

Status Task::take_over() {
  handover_.take();
  return status_;
}

}  // namespace targets::alltoallv
