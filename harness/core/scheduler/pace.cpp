// SPDX-License-Identifier: Apache-2.0
#include "harness/core/scheduler/pace.h"

#include <algorithm>

namespace harness::scheduling {

void Pace::begin() {
  horizon_ = 0;
  delays_allowed_ = false;
  one_by_one_ = false;
  next_unborn_ = 0;
  process_skews_.clear();
  eligible_until_ = 0;
}

void Pace::set_skew(ProcessId process, std::uint32_t ratio) {
  if (process_skews_.size() <= raw(process))
    process_skews_.resize(raw(process) + std::size_t{1}, 1);
  process_skews_[raw(process)] = ratio;
  for (const auto& task : tasks_.all())
    if (task->context.process == process) task->skew = ratio;
}

std::uint32_t Pace::process_skew(ProcessId process) const {
  return raw(process) < process_skews_.size() ? process_skews_[raw(process)] : 1;
}

bool Pace::take_in(Task& task) const {
  task.skew = process_skew(task.context.process);
  return !one_by_one_ || task.daemon || tasks_.count() == 1;
}

Task* Pace::next_unborn() {
  const auto tasks = tasks_.all();
  while (next_unborn_ < tasks.size()) {
    Task& task = *tasks[next_unborn_++];
    if (task.state == Task::State::unborn) return &task;
  }
  return nullptr;
}

void Pace::hold_up(Task& task, Tick tick) {
  task.slow_until = tick;
  horizon_ = std::max(horizon_, tick);
  eligible_until_ = 0;
}

// The list is rebuilt only when the ready or the held-back tasks have changed.
void Pace::list_eligible(Tick now) {
  const ReadySet& ready = ready_;
  Tick until = horizon_;
  eligible_.clear();
  for (const std::uint16_t index : ready.ready()) {
    const Task* task = ready[index].task;
    if (task == nullptr || task->slow_until <= now)
      eligible_.push_back(index);
    else
      until = std::min(until, task->slow_until);
  }
  eligible_version_ = ready.version();
  eligible_until_ = until;
}

}  // namespace harness::scheduling
