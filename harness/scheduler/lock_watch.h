// SPDX-License-Identifier: Apache-2.0
// LockWatch: says which locks tasks take, and what they have waited for, so that a circle of locks
// is a fault also if this run does not hang. Nothing is said outside of tasks.
#pragma once

#include "harness/scheduler.h"

namespace harness {

class LockWatch {
 public:
  /// The running task waits for `lock`, if it is held.
  static void wanted(Scheduler& scheduler, const Lock& lock) {
    if (scheduler.in_task() && me(scheduler).held.any()) [[unlikely]]
      scheduler.lock_order_.wanted(me(scheduler), lock);
  }
  /// The running task holds `lock` from now on.
  static void taken(Scheduler& scheduler, const Lock& lock) {
    if (scheduler.in_task()) me(scheduler).held.add(lock);
  }
  /// The running task does not hold it any more.
  static void given(Scheduler& scheduler, Resource lock) {
    if (scheduler.in_task()) me(scheduler).held.remove(lock);
  }
  /// Returns whether a task runs that holds one lock and no other.
  static bool holds_one(const Scheduler& scheduler) {
    return scheduler.in_task() && scheduler.tasks_.current()->held.count() == 1;
  }
  /// The running task has waited for what others did until then: they do not do it at the same time
  /// as what it does from now on.
  static void joined(Scheduler& scheduler, Tick until) {
    if (scheduler.in_task()) me(scheduler).joined = until;
  }

 private:
  static scheduling::Task& me(Scheduler& scheduler) { return *scheduler.tasks_.current(); }
};

}  // namespace harness
