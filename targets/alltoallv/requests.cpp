// SPDX-License-Identifier: Apache-2.0
#include "targets/alltoallv/requests.h"

#include "targets/alltoallv/policy.h"

namespace targets::alltoallv {

using harness::SiteScope;

Status Requests::init(Request request, const Arguments& arguments) {
  Core& core = rank_.core;
  const SiteScope site(core.scheduler, "collective_init");
  if (arguments.in_place) return Status::not_supported;
  auto* task = core.scheduler.arena().make<Task>(rank_, request, arguments);
  const bool numbered = !core.policy->numbers_posts();
  if (numbered) task->number();
  const Status status = task->prepare();
  if (status != Status::ok) {
    core.tell([&](Observer& observer) {
      observer.init_failed({rank_.number, request, status, numbered});
    });
    task->give_back();
    return status;
  }
  requested_[request] = task;
  return Status::ok;
}

void Requests::finalize(Request request) {
  const SiteScope site(rank_.core.scheduler, "collective_finalize");
  Task* task = std::exchange(requested_[request], nullptr);
  if (task != nullptr) task->release();
}

void Requests::post(Request request) {
  const SiteScope site(rank_.core.scheduler, "collective_post");
  Task& task = *requested_[request];
  task.start(false);
  task.advance();
  if (task.queued()) progress_.push(task);
}

// Spins until the task is set up. Upstream's spin does not progress other requests and hangs when a
// peer waits for one of them (upstream disables it). Ours does, but tries the triggered one first.
void Requests::triggered_post(Request request) {
  const SiteScope site(rank_.core.scheduler, "triggered_post");
  Task& task = *requested_[request];
  task.start(true);
  while (task.queued() && !task.is_set_up()) {
    const bool moved = task.advance();
    if (!task.queued() || task.is_set_up()) break;
    if (!progress_.pass() && !moved) progress_.idle(task, true);
  }
  if (task.queued()) progress_.push(task);
}

Status Requests::test(Request request) const {
  const Task* task = requested_[request];
  return task != nullptr ? task->status() : Status::ok;
}

Status Requests::wait(Request request) {
  const SiteScope site(rank_.core.scheduler, "wait");
  Task* task = requested_[request];
  if (task == nullptr) return Status::ok;
  while (task->status() == Status::in_progress)
    if (!progress_.pass()) progress_.idle(*task, false);
  return task->take_over();
}

void Requests::progress() {
  const SiteScope site(rank_.core.scheduler, "progress");
  progress_.pass();
  rank_.tensors.free_released();
}

}  // namespace targets::alltoallv
