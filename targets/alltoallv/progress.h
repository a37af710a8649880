// SPDX-License-Identifier: Apache-2.0
// Progress: the queue of a process, and how it is polled.
//
// One pass visits every task once, first in, first out. After a pass without progress, the rank
// sleeps until something that it polls changes. No task spins, so a hang is detected at once. While
// copies are in flight the rank polls twice more, then waits for them.
#pragma once

#include "targets/alltoallv/queue.h"

namespace targets::alltoallv {

/// Tasks of a process, by request number; null if there is none.
using Requested = std::array<Task*, kRequestLimit>;

/// Ownership: the process's; borrows the tasks. Threads: the process's own tasks.
class Progress {
 public:
  Progress(Rank& rank, const Requested& requested)
      : core_(rank.core), context_(rank.context), requested_(requested) {}

  void push(Task& task) {
    queue_.push(task);
    if (has_spare_) core_.ring();
  }
  /// Returns whether the queue is not empty.
  bool has_work() const { return !queue_.empty(); }
  /// Visits every task once. Returns true if one of them made progress.
  bool pass();
  /// Runs passes until `ready()`, and sleeps while nothing can progress. `ready` must not offer a
  /// preemption point; code that makes it true must call ring().
  template <class Ready>
  void pass_until(harness::Label what, Ready ready) {
    while (!ready())
      if (!pass() && !wait_for_copies())
        core_.scheduler.wait_until({core_.doorbell, harness::AccessKind::read}, what,
                                   [&] { return ready() || can_go_on(); });
  }
  /// Sleeps after a pass without progress until progress is possible. `in_hand`: the caller has the
  /// awaited task, so it is in no queue.
  void idle(const Task& awaited, bool in_hand);

  /// Starts a thread that runs passes until stop().
  void start_thread();
  /// Starts a thread that is also woken when a task is pushed.
  void start_spare_thread() {
    has_spare_ = true;
    start_thread();
  }
  /// Stops the threads and returns when all have ended.
  void stop();

 private:
  void serve();
  bool wait_for_copies();
  bool can_go_on() const;
  const Task* copying() const;
  bool is_copying() const;

  Core& core_;
  Context& context_;
  const Requested& requested_;
  Queue queue_;
  std::uint32_t fruitless_ = 0;  ///< Polls without progress while copies are in flight.
  bool closing_ = false;
  bool has_spare_ = false;
  std::uint32_t thread_count_ = 0;
};

}  // namespace targets::alltoallv
