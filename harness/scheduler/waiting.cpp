// Waiting: who sleeps until what is touched, who is woken, and what is said when nobody can go on.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "harness/scheduler.h"

namespace harness {

void Scheduler::wait(Access access, Label what, void* context, Ready ready, const TaskId* holder) {
  if (current_ == nullptr) {  // Outside the tasks, whoever calls is alone with the engines.
    const auto is_engine = [this](std::uint16_t party) {
      return parties_[party].engine != nullptr;
    };
    while (!ready(context)) {
      auto engine = std::find_if(ready_.begin(), ready_.end(), is_engine);
      if (engine == ready_.end() && poll_engines())
        engine = std::find_if(ready_.begin(), ready_.end(), is_engine);
      if (engine == ready_.end()) break;
      parties_[*engine].engine->advance();
    }
    return;
  }
  Task& me = *current_;
  turn(access);
  while (!ready(context)) {
    me.state = State::waiting;
    me.waits_for = what;
    me.waits_for_task = holder;
    me.ready = ready;
    me.ready_context = context;
    watch(me);
    make_unready(me.party);
    Task* next = next_task();
    if (next != &me) leave_for(next);
    me.ready = nullptr;
  }
}

void Scheduler::pause() {
  if (current_ == nullptr) return;
  Task& me = *current_;
  note_access(me, {});
  const bool sleeps = !touched_since_read(me);
  if (sleeps) {
    me.state = State::paused;
    me.waits_for = "a change of what it polls";
    me.waits_for_task = nullptr;
    watch(me);
    make_unready(me.party);
  }
  Task* next = next_task();
  if (next != &me) leave_for(next);
  me.read_count = 0;
  me.reads_overflow = false;
}

bool Scheduler::touched_since_read(const Task& task) const {
  if (task.reads_overflow) return true;
  return std::any_of(
      task.reads.begin(), task.reads.begin() + task.read_count,
      [&](const auto& read) { return written_[read.resource % kWrittenCount] > read.time; });
}

// Says that this task is to be asked when what it waits for, or has read, is touched.
void Scheduler::watch(const Task& task) {
  const std::uint64_t bit = std::uint64_t{1} << raw(task.id) % 64;
  if (task.state == State::waiting) {
    watched_[task.pending.resource % kWatchCount] |= bit;
    return;
  }
  for (std::size_t i = 0; i < task.read_count; ++i)
    watched_[task.reads[i].resource % kWatchCount] |= bit;
}

bool Scheduler::touched(Resource resource) const {
  return std::find(touched_.begin(), touched_.end(), resource) != touched_.end();
}

bool Scheduler::should_wake(const Task& task) const {
  if (task.state == State::waiting)
    return touched(task.pending.resource) && task.ready(task.ready_context);
  return std::any_of(task.reads.begin(), task.reads.begin() + task.read_count,
                     [this](const auto& read) { return touched(read.resource); });
}

// Those who watch are forgotten, and watch anew if they stay asleep.
void Scheduler::remember_touched(Resource resource) {
  touched_.push_back(resource);
  asked_for_ |= std::exchange(watched_[resource % kWatchCount], 0);
}

void Scheduler::wake_waiters() {
  const auto ask = [this](Task& task) {
    if (task.state != State::waiting && task.state != State::paused) return;
    if (should_wake(task))
      make_ready(task.party);
    else
      watch(task);
  };
  for (std::uint64_t left = std::exchange(asked_for_, 0); left != 0; left &= left - 1)
    for (std::size_t id = static_cast<std::size_t>(std::countr_zero(left)); id < task_count_;
         id += 64)
      ask(*tasks_[id]);
  touched_.clear();
}

// ---- nobody can go on -------------------------------------------------------------------------

void Scheduler::out_of_turns() {
  ++tick_;
  Fault fault = fatal_fault(FaultKind::step_limit);
  fault.detail = fmt::format("still running after {} turns", turn_limit_);
  end_with(Ending::step_limit, std::move(fault));
}

/// Returns whether that let anybody go on.
bool Scheduler::poll_engines() {
  for (std::size_t i = 0; i < parties_.size(); ++i)
    if (parties_[i].engine != nullptr) parties_[i].engine->poll();
  return !ready_.empty() || !touched_.empty();
}

void Scheduler::stuck() {
  const auto waits = [](const auto& task) {
    return task->state == State::waiting && !task->daemon;
  };
  const auto last = tasks_.begin() + static_cast<std::ptrdiff_t>(task_count_);
  const auto waiter = std::find_if(tasks_.begin(), last, waits);
  const bool deadlock = waiter != last;
  Fault fault = fatal_fault(deadlock ? FaultKind::deadlock : FaultKind::livelock);
  fault.object_kind = deadlock ? (*waiter)->waits_for : Label("polling");
  fault.detail = who_waits();
  end_with(deadlock ? Ending::deadlock : Ending::livelock, std::move(fault));
}

std::string Scheduler::who_waits() const {
  std::string text;
  for (std::size_t i = 0; i < task_count_; ++i) {
    const Task& task = *tasks_[i];
    if (task.state != State::waiting && task.state != State::paused) continue;
    if (!text.empty()) text += "; ";
    text += fmt::format("{} waits for {}", task.label.view(), task.waits_for.view());
    if (task.waits_for_task != nullptr && *task.waits_for_task != TaskId::none)
      text += fmt::format(" held by {}", task_label(*task.waits_for_task).view());
  }
  return text;
}

}  // namespace harness
