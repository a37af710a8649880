// SPDX-License-Identifier: Apache-2.0
// Precedence: two acts of a run, one of which must follow the other, and the progress of the
// earlier one.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/core/world.h"
#include "harness/search/triage/ancestry.h"

namespace harness::triaging {

/// The two acts, as the activations in which they happen, or from which theirs originate. If one
/// originates from the other, it stands for itself only.
struct Turns {
  Name late = 0;
  Name early = 0;
  Label at;  ///< The site at which the late one is held up; empty: from its beginning.
  /// Number of tasks that do the early act. kAllAtRest: it is over when no other task is ready.
  std::uint32_t early_task_count = 0;

  static constexpr std::uint32_t kAllAtRest = 0xffff'ffff;
  bool operator==(const Turns&) const = default;
};

/// Ownership: borrows the world of the runs. Threads: the run's thread.
class Precedence {
 public:
  Precedence(const Turns& turns, const World& world)
      : turns_(turns), world_(world), ancestry_(world.history) {}

  void begin();  ///< Begins a run.
  /// Updates the progress of the early act. `asking`: the activation of the running task.
  void look(Name asking);
  /// Called if no other task is ready: the early act is over if some task has done it and no task
  /// is in it. Returns whether the state changes.
  bool settle();
  /// Ends all waits for the early act. If it still happens, the order could not be achieved.
  /// Returns whether a task had waited.
  bool give_up();

  /// Returns whether a task has reached the late act before the early one is over.
  bool holds(const scheduling::Task& task, Name asking) {
    return state_ == State::holding && is_late(task, asking);
  }
  /// Returns whether the order could not be achieved.
  bool is_refused() const { return state_ == State::refused; }
  /// Returns whether a task reached the late act, and continued after the early one.
  bool was_kept() const { return !late_.empty() && state_ == State::over; }

 private:
  enum class State : std::uint8_t { holding, over, given_up, refused };
  enum class Act : std::uint8_t { neither, late, early };
  /// Progress of a task with the early act.
  struct Progress {
    bool began = false;
    bool is_at_it = false;
  };

  Act act_of(Name activation);
  Name activation_of(const scheduling::Task& task, Name asking) const;
  void look_at_all(Name asking);
  void look_at(const scheduling::Task& task, Name asking);
  bool is_late(const scheduling::Task& task, Name asking);
  void join_late(Name asking);
  std::size_t past_count() const;
  bool anybody_at_it() const;
  Progress& progress(std::size_t task);

  Turns turns_;
  const World& world_;
  Ancestry ancestry_;
  std::size_t event_count_ = 0;  ///< Number of events processed.
  State state_ = State::holding;
  std::vector<Progress> progress_;   ///< The progress of each task.
  std::vector<std::uint16_t> late_;  ///< Tasks that reached the late act after the early one was
                                     ///< over.
};

}  // namespace harness::triaging
