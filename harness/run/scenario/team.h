// SPDX-License-Identifier: Apache-2.0
// Team: the tasks of a run that fill slots: a script, and others, for whose end the script waits.
#pragma once

#include <cstdint>

#include "harness/core/sync.h"

namespace harness {

/// Ownership: allocated in the run's arena; borrows the scheduler.
class Team {
 public:
  /// `other` is the name of each of the other tasks, which are numbered from 1.
  Team(Scheduler& scheduler, Label other, std::uint32_t other_count)
      : scheduler_(scheduler),
        other_(other),
        other_count_(other_count),
        others_done_(scheduler, other_count, "tasks ended") {}
  Team(const Team&) = delete;  // Its tasks point at it.
  Team& operator=(const Team&) = delete;

  /// Spawns the task `script`, then the others, which run `other(number)`. Returns the script's.
  template <class Script, class Other>
  TaskId spawn(Script script, Other other) {
    const TaskId main = scheduler_.spawn("script", script);
    for (std::uint32_t number = 1; number <= other_count_; ++number)
      scheduler_.spawn(other_, [this, other, number] {
        other(number);
        others_done_.count_down();
      });
    return main;
  }
  /// Waits until all other tasks have ended.
  void await_others() { others_done_.wait(); }

 private:
  Scheduler& scheduler_;
  Label other_;
  std::uint32_t other_count_;
  Latch others_done_;
};

}  // namespace harness
