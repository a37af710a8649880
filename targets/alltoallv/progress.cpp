// SPDX-License-Identifier: Apache-2.0
#include "targets/alltoallv/progress.h"

#include <algorithm>

namespace targets::alltoallv {

using harness::AccessKind;

// Visits at most the tasks queued at the start. Other threads may pop and push tasks meanwhile.
bool Progress::pass() {
  bool moved = false;
  for (std::size_t left = queue_.size(); left > 0 && !queue_.empty(); --left) {
    Task& task = queue_.pop();
    moved |= task.advance();
    if (task.queued()) push(task);
    core_.delay_point("between two polls");
  }
  if (moved) fruitless_ = 0;
  return moved;
}

// A task that is not in the queue is being processed by another thread or by the caller.
void Progress::idle(const Task& awaited, bool in_hand) {
  if (wait_for_copies()) return;
  core_.scheduler.wait_until({core_.doorbell, AccessKind::read}, awaited.waits_for(), [&] {
    return awaited.status() != Status::in_progress || (in_hand && awaited.can_go_on()) ||
           can_go_on();
  });
}

bool Progress::wait_for_copies() {
  constexpr std::uint32_t kPolls = 2;
  if (const Task* task = copying(); task != nullptr) {
    if (++fruitless_ > kPolls) task->wait_for_copies();
    return true;
  }
  if (!is_copying()) fruitless_ = 0;
  return false;
}

const Task* Progress::copying() const {
  for (const Task* task : queue_)
    if (task->in_flight()) return task;
  return nullptr;
}

/// Includes tasks that another thread is processing, because their polls are counted here, too.
bool Progress::is_copying() const {
  return std::any_of(requested_.begin(), requested_.end(),
                     [](const Task* task) { return task != nullptr && task->in_flight(); });
}

bool Progress::can_go_on() const {
  for (const Task* task : queue_)
    if (task->can_go_on()) return true;
  return false;
}

// ---- threads ------------------------------------------------------------------------------------

void Progress::start_thread() {
  ++thread_count_;
  core_.scheduler.spawn("progress", [this] {
    context_.make_current();
    serve();
    --thread_count_;
    core_.ring();
  });
}

void Progress::serve() {
  const harness::SiteScope site(core_.scheduler, "progress");
  pass_until("progress", [this] { return closing_; });
}

void Progress::stop() {
  closing_ = true;
  core_.ring();
  core_.scheduler.wait_until({core_.doorbell, AccessKind::read}, "progress thread",
                             [this] { return thread_count_ == 0; });
}

}  // namespace targets::alltoallv
