#include "harness/devices/sim/streams/host_knowledge.h"

#include <algorithm>
#include <utility>

namespace harness::devices {

void HostKnowledge::begin(Scheduler& scheduler) {
  constexpr std::size_t kFirstSize = 64;
  scheduler_ = &scheduler;
  ++run_;
  last_stamp_ = kNothing;
  task_count_ = left_count_ = 0;
  if (left_.empty()) left_.resize(kFirstSize);
  EdgeListener::current = this;
}

HostKnowledge::Known& HostKnowledge::task(std::size_t index) {
  for (; task_count_ <= index; ++task_count_) {
    if (task_count_ == tasks_.size()) tasks_.emplace_back();
    tasks_[task_count_].clock.clear();
    tasks_[task_count_].stamp = kNothing;
  }
  return tasks_[index];
}

bool HostKnowledge::all_know(const OrderPoint& point) {
  const auto tasks = scheduler_->tasks().all();
  if (tasks.empty()) return task(0).clock.includes(point);
  return std::all_of(tasks.begin(), tasks.end(), [&](const auto& each) {
    return each->state == scheduling::Task::State::done ||
           task(raw(each->id) + std::size_t{1}).clock.includes(point);
  });
}

void HostKnowledge::saw(const Clock& clock) {
  Known& mine = task(here());
  if (mine.clock.includes(clock)) return;
  mine.clock.join(clock);
  mine.stamp = ++last_stamp_;
}

void HostKnowledge::starts_anew(const Clock& clock) {
  Known& mine = task(here());
  mine.clock = clock;
  mine.stamp = clock.empty() ? kNothing : ++last_stamp_;
}

/// Whoever knows less takes over the clock as it is, with its stamp.
void HostKnowledge::tell(Known& listener, const Known& teller) {
  if (listener.stamp == teller.stamp || listener.clock.includes(teller.clock)) return;
  if (teller.clock.includes(listener.clock)) {
    listener = teller;
    return;
  }
  listener.clock.join(teller.clock);
  listener.stamp = ++last_stamp_;
}

// ---- places -----------------------------------------------------------------------------------

HostKnowledge::Left& HostKnowledge::left_at(const void* place) {
  const std::size_t mask = left_.size() - 1;
  const auto address = reinterpret_cast<std::uintptr_t>(place);
  std::size_t index = (address >> 4 ^ address >> 11) & mask;
  while (left_[index].run == run_ && left_[index].place != place) index = (index + 1) & mask;
  return left_[index];
}

/// Twice the room, before half of it is taken.
void HostKnowledge::grow() {
  std::vector<Left> old = std::exchange(left_, std::vector<Left>(2 * left_.size()));
  for (Left& each : old)
    if (each.run == run_) left_at(each.place) = std::move(each);
}

/// Leaves it where nothing was left before.
void HostKnowledge::leave(const void* place, const Known& known) {
  if (2 * ++left_count_ > left_.size()) grow();
  Left& left = left_at(place);
  left.place = place;
  left.run = run_;
  left.known = known;
}

void HostKnowledge::released(const void* place) {
  const std::size_t me = here();
  if (me >= task_count_ || tasks_[me].stamp == kNothing) return;  // It has waited for nothing.
  Left& left = left_at(place);
  if (left.run != run_) return leave(place, tasks_[me]);
  tell(left.known, tasks_[me]);
}

void HostKnowledge::acquired(const void* place) {
  if (left_count_ == 0) return;  // Nobody has.
  const Left& left = left_at(place);
  if (left.run == run_) tell(task(here()), left.known);
}

void HostKnowledge::spawned(std::uint16_t id) {
  const Known mine = task(here());  // A copy: the child's may move it.
  task(id + std::size_t{1}) = mine;
}

}  // namespace harness::devices
