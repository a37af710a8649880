// SPDX-License-Identifier: Apache-2.0
// ObjectLocks: CPython's per-object locks, modelled as one lock.
//
// Without a GIL, Python code that uses the same dict, list or attribute is ordered by its lock. No
// task blocks on it, as no preemption point is under it. With the GIL it adds no order.
#pragma once

#include "harness/driver/runtime.h"

namespace targets::argpack {

class ObjectLocks {
 public:
  /// Holds the lock while it exists.
  class Hold : harness::EdgePassage {
   public:
    explicit Hold(ObjectLocks& locks) : EdgePassage(&locks, !locks.gil_) {}
  };

  explicit ObjectLocks(bool gil) : gil_(gil) {}
  ObjectLocks(const ObjectLocks&) = delete;  // Its address identifies the lock.
  ObjectLocks& operator=(const ObjectLocks&) = delete;

  /// Orders this task's past before later actions of tasks that call pass() or Hold.
  void pass() { const Hold hold(*this); }
  /// Lets a scenario read guarded state without adding order to the program.
  void look() { const harness::EdgePassage passage(this, false); }

 private:
  bool gil_;
};

}  // namespace targets::argpack
