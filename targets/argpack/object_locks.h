// ObjectLocks: the locks that CPython's objects have, as one.
//
// Where there is no GIL, Python code that meets in a dict, a list or an attribute is ordered by
// that object's lock. Nobody waits for one: no turn is offered under it. TSan hears of the order.
#pragma once

#include "harness/runtime.h"

namespace targets::argpack {

class ObjectLocks {
 public:
  /// Under the locks for as long as it lives.
  class Hold {
   public:
    explicit Hold(ObjectLocks& locks) : locks_(locks) { harness::edge_acquire(&locks_); }
    ~Hold() { harness::edge_release(&locks_); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    ObjectLocks& locks_;
  };

  ObjectLocks() = default;
  ObjectLocks(const ObjectLocks&) = delete;  // The order is that of its address.
  ObjectLocks& operator=(const ObjectLocks&) = delete;

  /// Orders this task's past before the acts of others after their next pass() or hold.
  void pass() { const Hold hold(*this); }
};

}  // namespace targets::argpack
