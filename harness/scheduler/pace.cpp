// Pace: engines, which advance on somebody's stack; and who is slower than others, or held up.
#include <algorithm>

#include "harness/scheduler.h"

namespace harness {

// ---- engines and skew -------------------------------------------------------------------------

std::uint16_t Scheduler::add_engine(Engine& engine) {
  parties_.push_back({nullptr, &engine, static_cast<std::uint32_t>(engine.name()) | 1});
  return static_cast<std::uint16_t>(parties_.size() - 1);
}

void Scheduler::set_engine_ready(std::uint16_t id, bool ready) {
  make_unready(id);
  if (ready) make_ready(id);
}

bool Scheduler::any_engine_ready() const {
  return std::any_of(ready_.begin(), ready_.end(),
                     [&](std::uint16_t party) { return parties_[party].engine != nullptr; });
}

void Scheduler::hold_up(Task& task, Tick turns) {
  task.slow_until = tick_ + turns;
  slow_horizon_ = std::max(slow_horizon_, task.slow_until);
  eligible_stale_ = true;
}

void Scheduler::set_skew(TaskId id, std::uint32_t ratio) { tasks_[raw(id)]->skew = ratio; }

void Scheduler::set_skew(ProcessId process, std::uint32_t ratio) {
  if (process_skews_.size() <= raw(process))
    process_skews_.resize(raw(process) + std::size_t{1}, 1);
  process_skews_[raw(process)] = ratio;
  for (std::size_t i = 0; i < task_count_; ++i)
    if (tasks_[i]->process == process) tasks_[i]->skew = ratio;
}

std::uint32_t Scheduler::process_skew(ProcessId process) const {
  return raw(process) < process_skews_.size() ? process_skews_[raw(process)] : 1;
}

// From a moment to longer than a collective of eight ranks takes; always bounded, so that a task
// that polls for ever cannot keep the others out for ever.
void Scheduler::maybe_delay(Label point) {
  static constexpr std::array<std::uint16_t, 6> kTurns{0, 4, 16, 64, 256, 1024};
  const std::uint32_t choice = picker_.pick(Site::delay, kTurns.size());
  if (choice == 0) return;
  note(EventKind::note, point, 0, kTurns[choice]);
  hold_up(*current_, kTurns[choice]);
  turn({});
}

// Leaves in choices_ whom skew lets go on; everyone, where it would leave nobody. That list is made
// anew only when who is ready, or held back, has changed.
void Scheduler::hold_back_the_slow() {
  if (eligible_stale_ || tick_ >= eligible_until_) {
    eligible_.clear();
    eligible_stale_ = false;
    eligible_until_ = slow_horizon_;
    for (const std::uint16_t party : ready_) {
      const Task* task = parties_[party].task;
      if (task == nullptr || task->slow_until <= tick_)
        eligible_.push_back(party);
      else
        eligible_until_ = std::min(eligible_until_, task->slow_until);
    }
  }
  if (!eligible_.empty()) choices_ = &eligible_;
}

}  // namespace harness
