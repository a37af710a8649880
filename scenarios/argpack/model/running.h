// SPDX-License-Identifier: Apache-2.0
// Running: the ops that the tasks are running, and what each has met and done so far.
#pragma once

#include "scenarios/argpack/model/attempt.h"
#include "scenarios/argpack/model/model.h"

namespace scenarios::argpack {

/// The running ops that a change affects: those of other tasks, or all.
enum class Change : std::uint8_t { of_others, of_all };

/// Ownership: in the run's arena; borrows the scene, the model and the attempts.
class Running {
 public:
  Running(harness::Scene& scene, Model& model) : scene_(scene), model_(model) {}

  void begin(Attempt& attempt);
  void end();

  /// Updates the conditions of running ops after a change.
  void changed(Change change);
  /// Notes an effect of the current task's op.
  void did(Deed deed);
  void launched(const Context& context);

  /// Returns the current task's op, or null.
  const Attempt* current() const { return attempts_[task()]; }
  /// Returns whether another task runs this op.
  bool is_of_another(Serial op) const;
  /// Returns whether any task runs an op that began at `op` or before.
  bool any_since(Serial op) const;
  bool none() const { return tasks_ == 0; }
  /// Returns whether a finalizer of the script may have changed the conditions.
  bool any_planted() const { return !planted_.empty(); }
  /// Returns whether no other task's op, and no finalizer of the script, ran.
  bool stayed_alone(const Attempt& attempt) const {
    return attempt.alone && model_.serial == attempt.began && !any_planted();
  }
  /// Returns whether the scenario assigned this value in the current task's op: to a new pack of
  /// this depth, or to something else (depth 0).
  bool handed_out(std::int64_t value, std::uint32_t depth) const;

 private:
  static constexpr std::size_t kTaskLimit = 64;

  std::size_t task() const { return harness::raw(scene_.world().scheduler.current()) % kTaskLimit; }
  /// Calls `act(task, attempt)` for every running op.
  template <class Act>
  void for_each(Act act) const {
    for (std::uint64_t rest = tasks_; rest != 0; rest &= rest - 1) {
      const auto each = static_cast<std::size_t>(std::countr_zero(rest));
      act(each, *attempts_[each]);
    }
  }

  harness::Scene& scene_;
  Model& model_;
  std::array<Attempt*, kTaskLimit> attempts_{};  ///< The running call of each task.
  std::uint64_t tasks_ = 0;                      ///< One bit per task that runs one.
  std::pmr::vector<std::int64_t> planted_;       ///< Values that finalizers may assign.
};

}  // namespace scenarios::argpack
