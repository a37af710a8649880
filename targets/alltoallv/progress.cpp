// The queue: what is outstanding on a rank, and how it is polled.
//
// One pass visits every task once, first in first out. When a pass moved nothing, the rank sleeps
// until something that it polls changes: nobody spins, so that a hang is seen at once. While copies
// are in flight it looks twice more, then waits for them.
#include <algorithm>

#include "targets/alltoallv/process.h"

namespace targets::alltoallv {

using harness::AccessKind;
using harness::SiteScope;

// ---- requests -----------------------------------------------------------------------------------

Status Process::init(Request request, const Arguments& arguments) {
  const SiteScope site(core_.scheduler, "collective_init");
  if (arguments.in_place) return Status::not_supported;
  auto* task = core_.scheduler.arena().make<Task>(*this, request, arguments);
  task->activation.name = core_.scheduler.name_next(kCollectiveActivation);
  const bool numbered = !core_.policy->numbers_posts();
  if (numbered) number(*task);
  const Status status = prepare(*task);
  if (status != Status::ok) {
    if (numbered)
      core_.tell([&](Observer& observer) { observer.number_lost({rank_, request, status}); });
    release_buffers(*task);
    return status;
  }
  requests_[request] = task;
  return Status::ok;
}

// As upstream, when it is made: what fails later leaves a gap on this rank alone, and what is
// posted again has the number that it had.
void Process::number(Task& task) {
  task.seq = ++seq_;
  task.slot = task.seq % core_.setup.slot_count;
}

// Exports the source; the destination only where somebody writes into it for a peer.
Status Process::prepare(Task& task) {
  if (const Status status = stream_of(task.arguments.stream, task.stream); status != Status::ok)
    return status;
  if (!task.arguments.null_source) {
    task.source_tensor = buffers_[task.arguments.source];
    if (!task.source_tensor) return Status::no_buffer;
    if (const Status status = await_fill(task); status != Status::ok) return status;
  }
  if (const Status status = make_tensor(task.destination_tensor, task.destination_base);
      status != Status::ok)
    return status;
  if (task.copied == nullptr)
    if (const Status status = take_event(task.copied); status != Status::ok) return status;
  if (!task.copies_peers()) return Status::ok;
  if (const Status status = export_memory(task.source_base, task.source); status != Status::ok)
    return status;
  task.source.offset += task.arguments.offset * sizeof(std::int32_t);
  return proxies().empty() ? Status::ok : export_memory(task.destination_base, task.destination);
}

// Without an execution engine, data are ready when the collective is posted.
Status Process::await_fill(Task& task) {
  auto& payload = task.source_tensor->payload<TensorPayload>();
  task.source_base = payload.base;
  if (payload.ready || (task.stream != nullptr && task.stream == payload.stream)) return Status::ok;
  if (cuStreamSynchronize(payload.stream) != CUDA_SUCCESS) return Status::driver_error;
  payload.ready = true;
  return Status::ok;
}

void Process::release_buffers(Task& task) {
  task.source_tensor.reset();
  task.destination_tensor.reset();
  if (task.copied != nullptr) spare_events_.push_back(std::exchange(task.copied, nullptr));
}

void Process::finalize(Request request) {
  const SiteScope site(core_.scheduler, "collective_finalize");
  Task* task = std::exchange(requests_[request], nullptr);
  if (task != nullptr) release_buffers(*task);
}

void Process::post(Request request) {
  const SiteScope site(core_.scheduler, "collective_post");
  Task& task = *requests_[request];
  start(task);
  advance(task);
  if (task.queued) queue_.push(task);
}

void Process::start(Task& task) {
  if (task.round > 0)
    core_.tell([&](Observer& observer) {
      observer.posting_again({rank_, task.request, task.seq, slot(task).state.peek()});
    });
  if (core_.policy->numbers_posts()) number(task);
  ++task.round;
  core_.tell([&](Observer& observer) {
    task.mark = observer.posted({rank_, task.request, task.slot, task.seq});
  });
  task.stage = Stage::sync;
  task.status = Status::in_progress;
  task.queued = true;
}

// Upstream's spin does not progress what else is outstanding, and so hangs as soon as a peer waits
// for that first (it is disabled there). Ours does; what is triggered still goes first.
void Process::triggered_post(Request request) {
  const SiteScope site(core_.scheduler, "triggered_post");
  Task& task = *requests_[request];
  start(task);
  while (task.queued && task.stage < Stage::copy) {
    const bool moved = advance(task);
    if (!task.queued || task.stage >= Stage::copy) break;
    if (!pass() && !moved) idle(task, true);
  }
  if (task.queued) queue_.push(task);
}

Status Process::test(Request request) const {
  const Task* task = requests_[request];
  return task != nullptr ? task->status : Status::ok;
}

Status Process::wait(Request request) {
  const SiteScope site(core_.scheduler, "wait");
  Task* task = requests_[request];
  if (task == nullptr) return Status::ok;
  while (task->status == Status::in_progress)
    if (!pass()) idle(*task, false);
  task->handover.take();
  return task->status;
}

void Process::progress() {
  const SiteScope site(core_.scheduler, "progress");
  pass();
  free_released();
}

// ---- the queue ----------------------------------------------------------------------------------

// Another thread may take tasks out, and put them back, while this one is busy with one.
bool Process::pass() {
  bool moved = false;
  for (std::size_t left = queue_.size(); left > 0 && !queue_.empty(); --left) {
    Task& task = queue_.pop();
    moved |= advance(task);
    if (task.queued) queue_.push(task);
    core_.delay_point("between two polls");
  }
  if (moved) fruitless_ = 0;
  return moved;
}

void Process::serve() {
  const SiteScope site(core_.scheduler, "progress");
  while (!closing_)
    if (!pass() && !wait_for_copies())
      core_.scheduler.wait_until({core_.doorbell, AccessKind::read}, "progress",
                                 [this] { return closing_ || can_go_on(); });
}

// A task that is not in the queue is in the hands of another thread, or of the caller.
void Process::idle(const Task& awaited, bool in_hand) {
  if (wait_for_copies()) return;
  core_.scheduler.wait_until({core_.doorbell, AccessKind::read}, "progress", [&] {
    return awaited.status != Status::in_progress || (in_hand && may_go_on(awaited)) || can_go_on();
  });
}

bool Process::wait_for_copies() {
  constexpr std::uint32_t kPolls = 2;
  if (const Task* task = copying(); task != nullptr) {
    if (++fruitless_ > kPolls) cuEventSynchronize(task->copied);
    return true;
  }
  if (!is_copying()) fruitless_ = 0;
  return false;
}

const Task* Process::copying() const {
  for (const Task* task : queue_)
    if (task->in_flight) return task;
  return nullptr;
}

/// The same, of all tasks: one may be in the hands of another thread, which counts its polls too.
bool Process::is_copying() const {
  return std::any_of(requests_.begin(), requests_.end(),
                     [](const Task* task) { return task != nullptr && task->in_flight; });
}

bool Process::can_go_on() const {
  for (const Task* task : queue_)
    if (may_go_on(*task)) return true;
  return false;
}

// What its next poll would say, without a turn: whom to wake, no more.
bool Process::may_go_on(const Task& task) const {
  const Slot& slot = this->slot(task);
  switch (task.stage) {
    case Stage::sync: {
      const std::uint32_t owner = slot.state.peek();
      const bool mine = owner == task.seq || (rank_ == 0 && owner == 0 && may_claim(task, slot));
      return mine && slot.barrier.idle(rank_);
    }
    case Stage::setup:
    case Stage::completion:
    case Stage::third_barrier:
      return slot.barrier.passed(rank_);
    case Stage::map:
      return !caches_[task.blocked_by]->is_in_the_way(task.blocked_on);
    case Stage::steps:
      return neighbours_ready(task);
    default:
      return true;
  }
}

}  // namespace targets::alltoallv
