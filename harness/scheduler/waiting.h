// SPDX-License-Identifier: Apache-2.0
// Waiting: which tasks sleep until something is touched, and which are woken.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "harness/scheduler/ready_set.h"
#include "harness/scheduler/tasks.h"

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

  /// Registers `task`, which is about to sleep, to be checked when something that it waits for, or
  /// has read, is touched.
  void watch(const Task& task);
  /// Whether something that `task` read since its last pause has been written since.
  bool changed_since_read(const Task& task) const;
  /// Checks the waiters of what was touched, and makes ready those whose wait is over.
  void wake(const Tasks& tasks, ReadySet& ready);

 private:
  static constexpr std::size_t kWrittenCount = 512;
  static constexpr std::size_t kWatchCount = 64;

  void remember_touched(Resource resource);
  void ask(Task& task, ReadySet& ready);
  bool touched(Resource resource) const;
  bool should_wake(const Task& task) const;

  std::vector<Resource> touched_;  ///< Changes since waiters were last checked.
  std::uint64_t asked_for_ = 0;    ///< Which tasks may wait for one of them: bits of ids.
  /// The tasks that sleep until a resource is touched, by its low bits, as the low bits of their
  /// ids. A spurious bit only causes a superfluous check.
  std::array<std::uint64_t, kWatchCount> watched_{};
  /// When a resource was last written, by its low bits: a clash only keeps a poller awake once
  /// more.
  std::array<Tick, kWrittenCount> written_{};
};

}  // namespace harness::scheduling
