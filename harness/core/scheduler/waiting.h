// SPDX-License-Identifier: Apache-2.0
// Waiting: the tasks that sleep until a resource is touched, and which of them are woken.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "harness/core/scheduler/ready_set.h"
#include "harness/core/scheduler/tasks.h"

namespace harness::scheduling {

/// Times are by the clock of all runs, so that nothing needs to be cleared between them.
class Waiting {
 public:
  void begin() {  // Forgets the sleepers of the previous run.
    touched_.clear();
    asked_for_ = 0;
    watched_.fill(0);
  }

  /// Records a change of `resource` for the tasks that wait for it.
  void touch(Resource resource, Tick time) {
    written_[resource % kWrittenCount] = time;
    if ((watched_[resource % kWatchCount] | asked_for_) != 0) [[unlikely]]
      remember_touched(resource);
  }
  /// Returns whether there is a waiter to check.
  bool pending() const { return !touched_.empty(); }

  /// Registers `task`, which is about to sleep, to be checked when a resource that it waits for, or
  /// has read, is touched.
  void watch(const Task& task);
  /// Returns whether a resource that `task` read since its last pause has been written since.
  bool changed_since_read(const Task& task) const;
  /// Checks the waiters of touched resources, and makes those whose wait is over ready.
  void wake(const Tasks& tasks, ReadySet& ready);

 private:
  static constexpr std::size_t kWrittenCount = 512;
  static constexpr std::size_t kWatchCount = 64;

  void remember_touched(Resource resource);
  void ask(Task& task, ReadySet& ready);
  bool touched(Resource resource) const;
  bool should_wake(const Task& task) const;

  std::vector<Resource> touched_;  ///< Changes since waiters were last checked.
  std::uint64_t asked_for_ = 0;    ///< Bits of the ids of tasks that may wait for one of them.
  /// Bits of the ids of the tasks that sleep until a resource is touched, by its low bits. A
  /// spurious bit only causes a superfluous check.
  std::array<std::uint64_t, kWatchCount> watched_{};
  /// The time of the last write to a resource, by its low bits. A collision only wakes a poller
  /// once too often.
  std::array<Tick, kWrittenCount> written_{};
};

}  // namespace harness::scheduling
