// SPDX-License-Identifier: Apache-2.0
// GraphLock: a script's own lock for its graphs. CUDA's graphs are not thread safe, and cuda.core
// adds no lock, so a script with several threads must make these calls one at a time. A waiting
// thread releases the GIL, as threading.Lock does.
#pragma once

#include "harness/driver/runtime.h"

namespace targets::graph_argument {

/// Threads: Python threads. While CUDA calls keep the GIL, no thread ever waits.
class GraphLock {
 public:
  explicit GraphLock(harness::Interpreter& interpreter, harness::Scheduler& scheduler)
      : interpreter_(interpreter), scheduler_(scheduler) {}
  GraphLock(const GraphLock&) = delete;  // Tasks wait for it.
  GraphLock& operator=(const GraphLock&) = delete;

  /// Holds the lock while it exists.
  class Hold {
   public:
    explicit Hold(GraphLock& lock) : lock_(lock) { lock_.take(); }
    ~Hold() { lock_.give(); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    GraphLock& lock_;
  };

 private:
  static constexpr harness::Lock kLock{harness::hash_name("graph lock"), "graph lock"};

  void take() {
    while (owner_ != harness::TaskId::none)
      interpreter_.allow_threads([this] {
        scheduler_.wait_until(
            {kLock.resource, harness::AccessKind::acquire}, kLock.label,
            [this] { return owner_ == harness::TaskId::none; }, &owner_);
      });
    owner_ = scheduler_.current();
    harness::LockWatch::taken(scheduler_, kLock);
    harness::edge_acquire(this);
  }
  void give() {
    harness::edge_release(this);
    harness::LockWatch::given(scheduler_, kLock.resource);
    owner_ = harness::TaskId::none;
    scheduler_.touch(kLock.resource);
  }

  harness::Interpreter& interpreter_;
  harness::Scheduler& scheduler_;
  harness::TaskId owner_ = harness::TaskId::none;
};

}  // namespace targets::graph_argument
