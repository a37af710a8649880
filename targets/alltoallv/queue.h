// SPDX-License-Identifier: Apache-2.0
// Queue: the outstanding tasks of a rank, first in, first out.
//
// Threads: any of the process may put in and take out. Each is one step, as upstream's, and a
// thread that takes a task out sees what was done to it before it was put in.
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
