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
  std::size_t index = mix(0, reinterpret_cast<std::uintptr_t>(place)) & mask;
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
  const Clock& mine = task(here());
  if (mine.empty()) return;
  Left* left = &left_at(place);
  if (left->run != run_) {
    if (2 * ++left_count_ > left_.size()) {
      grow();
      left = &left_at(place);
    }
    left->place = place;
    left->run = run_;
    left->clock.clear();
  }
  left->clock.join(mine);
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
