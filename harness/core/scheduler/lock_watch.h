// SPDX-License-Identifier: Apache-2.0
// LockWatch: records which locks tasks take, and what they have waited for, so that a cycle of
// locks is a fault even if this run does not hang. Records nothing outside of tasks.
#pragma once

#include "harness/core/scheduler/scheduler.h"

namespace harness {

class LockWatch {
 public:
  /// Notes that the running task waits for `lock`, if it is held.
  static void wanted(Scheduler& scheduler, const Lock& lock) {
    if (scheduler.in_task() && me(scheduler).held.any()) [[unlikely]]
      scheduler.lock_order_.wanted(me(scheduler), lock);
  }
  /// Notes that the running task holds `lock` from now on.
  static void taken(Scheduler& scheduler, const Lock& lock) {
    if (scheduler.in_task()) me(scheduler).held.add(lock);
  }
  /// Notes that the running task does not hold `lock` any more.
  static void given(Scheduler& scheduler, Resource lock) {
    if (scheduler.in_task()) me(scheduler).held.remove(lock);
  }
  /// Returns whether the running task holds exactly one lock. False outside of tasks.
  static bool holds_one(const Scheduler& scheduler) {
    return scheduler.in_task() && scheduler.tasks_.current()->held.count() == 1;
  }
  /// Notes that the running task has waited for everything that others did until then, which is
  /// therefore not concurrent with its later steps.
  static void joined(Scheduler& scheduler, Tick until) {
    if (scheduler.in_task()) me(scheduler).joined = until;
  }

 private:
  static scheduling::Task& me(Scheduler& scheduler) { return *scheduler.tasks_.current(); }
};

}  // namespace harness
