// SPDX-License-Identifier: Apache-2.0
// Tasks: every task of a run, and which of them holds the thread.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "harness/core/scheduler/task.h"

namespace harness::scheduling {

/// Ownership: owns the tasks, and keeps them with their stacks from run to run.
class Tasks {
 public:
  Tasks() = default;
  Tasks(const Tasks&) = delete;  // It points into itself.
  Tasks& operator=(const Tasks&) = delete;

  /// Forgets the tasks of the previous run.
  void begin() {
    count_ = 0;
    outside_ = {};
    enter(nullptr);
  }

  /// Adds a task in the process of the current one. The caller makes it ready.
  Task& add();

  std::size_t count() const { return count_; }
  Task& operator[](TaskId id) { return *tasks_[raw(id)]; }
  const Task& operator[](TaskId id) const { return *tasks_[raw(id)]; }
  std::span<const std::unique_ptr<Task>> all() const { return {tasks_.data(), count_}; }  ///< By id

  Name name(TaskId id) const { return (*this)[id].name; }     ///< Returns its name by cause.
  Label label(TaskId id) const { return (*this)[id].label; }  ///< Returns its name in stories.
  /// Returns its process.
  ProcessId process(TaskId id) const { return (*this)[id].context.process; }

  /// Returns the task that holds the thread, or null outside of tasks.
  Task* current() const { return current_; }
  /// Makes `task` the one that holds the thread; null for none.
  void enter(Task* task) {
    current_ = task;
    context_ = task != nullptr ? &task->context : &outside_;
  }
  /// Returns the context of the task that holds the thread.
  Context& context() { return *context_; }
  const Context& context() const { return *context_; }

 private:
  Task* current_ = nullptr;
  Context* context_ = &outside_;
  Context outside_;  ///< The context of code outside of tasks.
  std::size_t count_ = 0;
  std::vector<std::unique_ptr<Task>> tasks_;
};

}  // namespace harness::scheduling
