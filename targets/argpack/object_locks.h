// SPDX-License-Identifier: Apache-2.0
// ObjectLocks: CPython's locks of objects, as one lock.
//
// Without a GIL, Python code that uses the same dict, list or attribute is ordered by that object's
// lock. No task waits for one, because no turn is offered under it. With the GIL they add no order.
#pragma once

#include "harness/runtime.h"

namespace targets::argpack {

class ObjectLocks {
 public:
  /// Holds the locks while it exists.
  class Hold : harness::EdgePassage {
   public:
    explicit Hold(ObjectLocks& locks) : EdgePassage(&locks, !locks.gil_) {}
  };

  explicit ObjectLocks(bool gil) : gil_(gil) {}
  ObjectLocks(const ObjectLocks&) = delete;  // The order is that of its address.
  ObjectLocks& operator=(const ObjectLocks&) = delete;

  /// Orders this task's past before the acts of others after their next pass() or hold.
  void pass() { const Hold hold(*this); }
  /// A scenario looks at what they guard, which orders nothing for the program.
  void look() { const harness::EdgePassage passage(this, false); }

 private:
  bool gil_;
};

}  // namespace targets::argpack
