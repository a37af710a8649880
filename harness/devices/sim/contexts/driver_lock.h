// SPDX-License-Identifier: Apache-2.0
// DriverLock: a resource inside the driver that threads of a process wait for: the driver's lock,
// or the thread on which it calls functions of the program.
//
// A call works under the driver's lock, and releases it while it waits for the device. While one of
// our calls works, nothing else runs, so a call only has to check for a holder. The only visible
// holder is a function of the program that the driver calls while it holds the lock, as drivers
// sometimes do (numba-cuda#317). This is a choice.
//
// Threads: tasks of a run. Code outside of tasks neither holds nor waits.
#pragma once

#include "harness/core/scheduler/lock_watch.h"

namespace harness::devices {

/// Ownership: belongs to a process; begun again for every run.
class DriverLock {
 public:
  explicit DriverLock(Label label) : label_(label) {}
  void begin(ProcessId process) {
    resource_ = label_.hash() + raw(process);
    owner_ = TaskId::none;
  }

  /// Called when a call begins to work. Waits until no other task holds the lock.
  void pass(Scheduler& scheduler) {
    LockWatch::wanted(scheduler, {resource_, label_});
    if (owner_ != TaskId::none) [[unlikely]]
      wait(scheduler);
  }
  /// Notes that the calling task may wait for the holder, in its own way.
  void expect(Scheduler& scheduler) const { LockWatch::wanted(scheduler, {resource_, label_}); }

  /// Holds the lock while it exists, if `held` is true.
  class Hold {
   public:
    Hold(DriverLock& lock, Scheduler& scheduler, bool held);
    ~Hold();
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    DriverLock& lock_;
    Scheduler& scheduler_;
    bool held_;
  };

 private:
  void wait(Scheduler& scheduler);

  Label label_;
  Resource resource_ = 0;
  TaskId owner_ = TaskId::none;
};

}  // namespace harness::devices
