// SPDX-License-Identifier: Apache-2.0
// Pace: which tasks are slower than others, or held up, and whether they start one by one.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/core/scheduler/ready_set.h"
#include "harness/core/scheduler/tasks.h"

namespace harness::scheduling {

/// Ownership: borrows the tasks and the set of those that are ready.
class Pace {
 public:
  Pace(Tasks& tasks, const ReadySet& ready) : tasks_(tasks), ready_(ready) {}

  void begin();  ///< Forgets the requests of the previous run.

  // ---- requests, before the tasks run ----

  /// Makes `task` take at most one of every `ratio` turns while others are ready. 1 is full speed.
  void set_skew(TaskId task, std::uint32_t ratio) { tasks_[task].skew = ratio; }
  /// Does the same for every task of `process`, including tasks that are spawned later.
  void set_skew(ProcessId process, std::uint32_t ratio);

  /// Allows delay points to hold tasks up.
  void allow_delays() { delays_allowed_ = true; }
  bool delays_allowed() const { return delays_allowed_; }

  /// With `on`, each task starts only once the one spawned before it has taken its first turn. Off
  /// by default: spawn order hides bugs (`static_reorder` against `reorder`, Zhao et al. 2025).
  void spawn_one_by_one(bool on) { one_by_one_ = on; }

  // ---- effects ----

  /// Gives a new task the speed of its process. Returns whether it starts at once.
  bool take_in(Task& task) const;
  /// Returns whether no task waits to be started.
  bool all_born() const { return next_unborn_ == tasks_.count(); }
  /// Returns the first task that waits to be started, or null.
  Task* next_unborn();

  /// Holds `task` back until `tick`, as long as others are ready.
  void hold_up(Task& task, Tick tick);
  /// Returns whether a task may be held back.
  bool holds_back(Tick now) const { return horizon_ > now; }
  /// Returns the ready tasks that are not held back, or all ready tasks if there is none.
  const std::vector<std::uint16_t>& eligible(Tick now) {
    if (now >= eligible_until_ || eligible_version_ != ready_.version()) list_eligible(now);
    return eligible_.empty() ? ready_.ready() : eligible_;
  }

 private:
  std::uint32_t process_skew(ProcessId process) const;
  [[gnu::noinline]] void list_eligible(Tick now);

  Tasks& tasks_;
  const ReadySet& ready_;
  Tick horizon_ = 0;  ///< No task is held back after this tick.
  bool delays_allowed_ = false;
  bool one_by_one_ = false;
  std::size_t next_unborn_ = 0;
  std::vector<std::uint32_t> process_skews_;  ///< By process. Processes beyond the end have full
                                              ///< speed.
  std::vector<std::uint16_t> eligible_;       ///< The last result.
  std::uint64_t eligible_version_ = 0;        ///< The ready set's version for that result.
  Tick eligible_until_ = 0;                   ///< The tick at which the next task is released.
};

}  // namespace harness::scheduling
