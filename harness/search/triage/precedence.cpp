// SPDX-License-Identifier: Apache-2.0
#include "harness/search/triage/precedence.h"

#include <algorithm>

namespace harness::triaging {

using scheduling::Task;

void Precedence::begin() {
  ancestry_.begin();
  event_count_ = 0;
  state_ = State::holding;
  progress_.clear();
  late_.clear();
}

/// Returns the act from which an activation originates; the nearer one if it is both.
Precedence::Act Precedence::act_of(Name activation) {
  const bool is_early = ancestry_.comes_from(activation, turns_.early);
  if (!ancestry_.comes_from(activation, turns_.late)) return is_early ? Act::early : Act::neither;
  return is_early && ancestry_.comes_from(turns_.early, turns_.late) ? Act::early : Act::late;
}

Name Precedence::activation_of(const Task& task, Name asking) const {
  return &task == world_.scheduler.tasks().current() ? asking : task.activation->name;
}

// ---- the early act ------------------------------------------------------------------------------

Precedence::Progress& Precedence::progress(std::size_t task) {
  if (task >= progress_.size()) progress_.resize(task + 1);
  return progress_[task];
}

void Precedence::look(Name asking) {
  if (state_ == State::holding || state_ == State::given_up) look_at_all(asking);
  if (state_ == State::given_up && (past_count() > 0 || anybody_at_it())) state_ = State::refused;
  if (state_ == State::holding && past_count() >= std::max(turns_.early_task_count, 1u) &&
      !anybody_at_it())
    state_ = State::over;
  if (state_ == State::over) join_late(asking);
}

/// A task that left an event in the act has begun it, even if it took no turn there.
void Precedence::look_at_all(Name asking) {
  const Records<Event>& events = world_.history.events();
  for (; event_count_ < events.size(); ++event_count_) {
    const Event& event = events[event_count_];
    if (event.task != raw(TaskId::none) && act_of(event.activation) == Act::early)
      progress(event.task).began = true;
  }
  for (const auto& task : world_.scheduler.tasks().all()) look_at(*task, asking);
}

void Precedence::look_at(const Task& task, Name asking) {
  Progress& its = progress(raw(task.id));
  its.is_at_it =
      task.state != Task::State::done && act_of(activation_of(task, asking)) == Act::early;
  its.began |= its.is_at_it;
}

std::size_t Precedence::past_count() const {
  return static_cast<std::size_t>(
      std::count_if(progress_.begin(), progress_.end(),
                    [](const Progress& one) { return one.began && !one.is_at_it; }));
}

bool Precedence::anybody_at_it() const {
  return std::any_of(progress_.begin(), progress_.end(),
                     [](const Progress& one) { return one.is_at_it; });
}

bool Precedence::settle() {
  if (state_ != State::holding || past_count() == 0 || anybody_at_it()) return false;
  state_ = State::over;
  return true;
}

bool Precedence::give_up() {
  if (state_ != State::holding) return false;
  state_ = State::given_up;
  return true;
}

// ---- the late act -------------------------------------------------------------------------------

bool Precedence::is_late(const Task& task, Name asking) {
  return (turns_.at.empty() || task.context.site == turns_.at) && task.state != Task::State::done &&
         act_of(activation_of(task, asking)) == Act::late;
}

/// Marks tasks at the late act as having waited for all other tasks' progress so far.
void Precedence::join_late(Name asking) {
  for (const auto& task : world_.scheduler.tasks().all()) {
    const bool is_known = std::find(late_.begin(), late_.end(), raw(task->id)) != late_.end();
    if (is_known || !is_late(*task, asking)) continue;
    late_.push_back(raw(task->id));
    task->joined = world_.scheduler.now();
  }
}

}  // namespace harness::triaging
