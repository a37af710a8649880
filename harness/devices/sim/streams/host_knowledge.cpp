#include "harness/devices/sim/streams/host_knowledge.h"

#include <algorithm>
#include <utility>

namespace harness::devices {

void HostKnowledge::begin(Scheduler& scheduler) {
  constexpr std::size_t kFirstSize = 64;
  scheduler_ = &scheduler;
  ++run_;
  task_count_ = left_count_ = 0;
  if (left_.empty()) left_.resize(kFirstSize);
  EdgeListener::current = this;
}

Clock& HostKnowledge::task(std::size_t index) {
  for (; task_count_ <= index; ++task_count_) {
    if (task_count_ == tasks_.size()) tasks_.emplace_back();
    tasks_[task_count_].clear();
  }
  return tasks_[index];
}

bool HostKnowledge::all_know(const OrderPoint& point) {
  const auto tasks = scheduler_->tasks().all();
  if (tasks.empty()) return task(0).includes(point);
  return std::all_of(tasks.begin(), tasks.end(), [&](const auto& each) {
    return each->state == scheduling::Task::State::done ||
           task(raw(each->id) + std::size_t{1}).includes(point);
  });
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

void HostKnowledge::released(const void* place) {
  const std::size_t me = here();
  if (me >= task_count_) return;  // It has waited for nothing.
  const Clock& mine = tasks_[me];
  Left* left = &left_at(place);
  if (left->run == run_) [[likely]]
    return left->clock.join(mine);
  if (mine.empty()) return;
  if (2 * ++left_count_ > left_.size()) {
    grow();
    left = &left_at(place);
  }
  left->place = place;
  left->run = run_;
  left->clock = mine;
}

void HostKnowledge::acquired(const void* place) {
  const Left& left = left_at(place);
  if (left.run == run_) task(here()).join(left.clock);
}

void HostKnowledge::spawned(std::uint16_t id) {
  const Clock mine = task(here());  // A copy: the child's may move it.
  task(id + std::size_t{1}) = mine;
}

}  // namespace harness::devices
