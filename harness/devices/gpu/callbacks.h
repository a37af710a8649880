// SPDX-License-Identifier: Apache-2.0
// Callbacks: functions of the program that the real driver calls from within a call, or on a
// separate thread, where no task runs. They are recorded there, and called by the task whose call
// comes next, so they may do everything that a task may do.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace harness::devices {

/// Threads: note() may be called on any; the rest is the run's.
class Callbacks {
 public:
  using Function = void (*)(void*);

  /// One function with its data, as the driver is given it: note(this).
  /// Ownership: it belongs to the Callbacks of the process.
  struct Wrapped {
    Function function;
    void* data;
    unsigned run;
  };

  /// Those of the process, which no device outlives: a driver may call at any time.
  static Callbacks& of_process();

  /// Begins a run, and forgets calls for earlier ones.
  void begin();
  /// Returns a stand-in for a function, valid until long after the run.
  Wrapped* wrap(Function function, void* data);
  /// The function that the driver is given for all of them.
  static void note(void* wrapped);
  /// Calls the functions that the driver has called meanwhile, in that order.
  void serve() {
    if (any_.load(std::memory_order_acquire)) call();
  }

 private:
  void call();

  std::mutex mutex_;
  std::vector<Wrapped*> due_;
  std::atomic<bool> any_ = false;
  unsigned run_ = 0;
  std::deque<std::unique_ptr<Wrapped>> wrapped_;
};

}  // namespace harness::devices
