// SPDX-License-Identifier: Apache-2.0
// Callbacks: functions of the program that the real driver calls from within a call, or on a
// separate thread, where no task runs. They are recorded there. The task that makes the next call
// runs them, so that they may do everything that a task may do.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace harness::devices {

/// Threads: note() may be called on any thread; everything else on the run's.
class Callbacks {
 public:
  using Function = void (*)(void*);

  /// A function with its data. The driver gets this object as the data of note().
  /// Ownership: the Callbacks of the process own it.
  struct Wrapped {
    Function function;
    void* data;
    unsigned run;
  };

  /// Returns the Callbacks of the process, which outlive every device, because a driver may call at
  /// any time.
  static Callbacks& of_process();

  /// Begins a run, and discards recorded calls of earlier ones.
  void begin();
  /// Returns a replacement for a function, valid until long after the run.
  Wrapped* wrap(Function function, void* data);
  /// The function that the driver gets in place of all of them.
  static void note(void* wrapped);
  /// Calls the functions that the driver has called since the last time, in that order.
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
