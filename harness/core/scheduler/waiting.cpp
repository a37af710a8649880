// SPDX-License-Identifier: Apache-2.0
// How it works. A task that goes to sleep sets its bit for each resource that it waits for or has
// read. A touch collects the bits of its resource, and the tasks with these bits are checked before
// the next turn. They wake, or set their bits again.
#include "harness/core/scheduler/waiting.h"

#include <algorithm>
#include <bit>

namespace harness::scheduling {

void Waiting::watch(const Task& task) {
  const std::uint64_t bit = std::uint64_t{1} << raw(task.id) % 64;
  if (task.state == Task::State::waiting) {
    watched_[task.pending.resource % kWatchCount] |= bit;
    return;
  }
  for (const auto& read : task.reads) watched_[read.resource % kWatchCount] |= bit;
}

bool Waiting::changed_since_read(const Task& task) const {
  return task.reads.too_many() ||
         std::any_of(task.reads.begin(), task.reads.end(), [this](const auto& read) {
           return written_[read.resource % kWrittenCount] > read.time;
         });
}

void Waiting::wake(const Tasks& tasks, ReadySet& ready) {
  const auto all = tasks.all();
  for (std::uint64_t left = std::exchange(asked_for_, 0); left != 0; left &= left - 1)
    for (std::size_t id = static_cast<std::size_t>(std::countr_zero(left)); id < all.size();
         id += 64)
      ask(*all[id], ready);
  touched_.clear();
}

void Waiting::ask(Task& task, ReadySet& ready) {
  if (task.state != Task::State::waiting && task.state != Task::State::paused) return;
  if (should_wake(task))
    ready.make_ready(task.runnable);
  else
    watch(task);
}

bool Waiting::should_wake(const Task& task) const {
  if (task.state == Task::State::waiting)
    return touched(task.pending.resource) && task.ready(task.ready_context);
  return std::any_of(task.reads.begin(), task.reads.end(),
                     [this](const auto& read) { return touched(read.resource); });
}

bool Waiting::touched(Resource resource) const {
  return std::find(touched_.begin(), touched_.end(), resource) != touched_.end();
}

void Waiting::remember_touched(Resource resource) {
  touched_.push_back(resource);
  asked_for_ |= std::exchange(watched_[resource % kWatchCount], 0);
}

}  // namespace harness::scheduling
