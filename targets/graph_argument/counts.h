// SPDX-License-Identifier: Apache-2.0
// Counts and flags that tasks share without a lock: each adds the ordering of an atomic. The value
// itself is hidden from TSan, because it is not a data race.
//
// Threads: any, including those that evaluate the scheduler's waits. No preemption points.
#pragma once

#include <cstdint>

#include "harness/driver/runtime.h"

#define AFTERLIFE_ATOMIC __attribute__((no_sanitize("thread")))

namespace targets::graph_argument {

/// Reference count of a value. take() adds no ordering; let_go() releases, and for the last holder
/// also acquires.
class HolderCount {
 public:
  AFTERLIFE_ATOMIC void take() { ++count_; }
  /// Returns whether this was the last holder.
  AFTERLIFE_ATOMIC bool let_go() {
    harness::edge_release(this);
    if (--count_ > 0) return false;
    harness::edge_acquire(this);
    return true;
  }

 private:
  std::uint32_t count_ = 1;
};

/// A flag that is raised once, as a relaxed atomic: it orders nothing.
class Flag {
 public:
  AFTERLIFE_ATOMIC void raise() { raised_ = true; }
  AFTERLIFE_ATOMIC bool raised() const { return raised_; }

 private:
  bool raised_ = false;
};

/// How many destructors of user objects have returned.
class DestructorCount {
 public:
  explicit DestructorCount(harness::Scheduler& scheduler) : scheduler_(scheduler) {}

  AFTERLIFE_ATOMIC void add() {
    harness::edge_release(this);
    ++count_;
    scheduler_.touch(kResource);
  }
  void wait_for(std::size_t count) {
    scheduler_.wait_until({kResource, harness::AccessKind::read}, "user object destructors",
                          [this, count] { return value() >= count; });
    harness::edge_acquire(this);
  }

 private:
  static constexpr harness::Resource kResource = harness::hash_name("destructors");
  AFTERLIFE_ATOMIC std::size_t value() const { return count_; }

  harness::Scheduler& scheduler_;
  std::size_t count_ = 0;
};

}  // namespace targets::graph_argument

#undef AFTERLIFE_ATOMIC
