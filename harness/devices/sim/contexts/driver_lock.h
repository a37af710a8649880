// SPDX-License-Identifier: Apache-2.0
// DriverLock: what threads of a process have to wait for inside of the driver: its lock, and the
// thread on which it calls functions of the program.
//
// A call works under the driver's lock, and gives it up where it waits for the device. Nothing else
// runs while a call of ours works, so that a call only looks who has the lock. What can be seen to
// hold it is a function of the program's that the driver calls with the lock held, as drivers do
// now and then (numba-cuda#317): a pick says whether.
//
// Threads: tasks of a run. Outside of tasks nothing has anything, and nothing waits.
#pragma once

#include "harness/scheduler/lock_watch.h"

namespace harness::devices {

/// Ownership: of a process; begun again for every run.
class DriverLock {
 public:
  explicit DriverLock(Label label) : label_(label) {}
  void begin(ProcessId process) {
    resource_ = label_.hash() + raw(process);
    owner_ = TaskId::none;
  }

  /// A call begins to work: waits until nothing else holds the lock.
  void pass(Scheduler& scheduler) {
    LockWatch::wanted(scheduler, {resource_, label_});
    if (owner_ != TaskId::none) [[unlikely]]
      wait(scheduler);
  }
  /// Says that the calling task may have to wait for who holds it, and does so in its own way.
  void expect(Scheduler& scheduler) const { LockWatch::wanted(scheduler, {resource_, label_}); }

  /// Holds it for as long as it lives, if `held` says so.
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
