// SPDX-License-Identifier: Apache-2.0
#include "harness/core/scheduler/tasks.h"

namespace harness::scheduling {

Task& Tasks::add() {
  if (count_ == tasks_.size()) tasks_.push_back(std::make_unique<Task>());
  Task& task = *tasks_[count_];
  task.id = static_cast<TaskId>(count_++);
  task.state = Task::State::unborn;
  task.context = {{}, context_->process};
  task.pending = {};
  task.ready = nullptr;
  task.skew = 1;
  task.slow_until = 0;
  task.reads.clear();
  return task;
}

}  // namespace harness::scheduling
