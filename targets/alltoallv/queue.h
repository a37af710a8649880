// SPDX-License-Identifier: Apache-2.0
// Queue: the outstanding tasks of a rank, first in, first out.
//
// Threads: any thread of the process may push and pop. Each is one step, as in upstream, and a
// thread that pops a task sees all that was done to it before it was pushed.
#pragma once

#include <memory_resource>
#include <vector>

#include "targets/alltoallv/task/task.h"

namespace targets::alltoallv {

/// Ownership: borrows the tasks.
class Queue {
 public:
  void push(Task& task) {
    harness::edge_release(this);
    tasks_.push_back(&task);
  }
  Task& pop() {
    harness::edge_acquire(this);
    Task& task = *tasks_.front();
    tasks_.erase(tasks_.begin());
    return task;
  }

  std::size_t size() const { return tasks_.size(); }
  bool empty() const { return tasks_.empty(); }
  auto begin() const { return tasks_.begin(); }
  auto end() const { return tasks_.end(); }

 private:
  std::pmr::vector<Task*> tasks_;
};

}  // namespace targets::alltoallv
