// SPDX-License-Identifier: Apache-2.0
// How it works. A stamp identifies a state of knowledge, which does not change once it was handed
// on: a task that learns more gets a new stamp, derived from its old one. Handing over a lock thus
// copies a stamp, and clocks are compared only if neither stamp derives from the other. Most locks
// are taken again by the task that released them. Each place therefore remembers a task that knows
// all that was left there: that task gets nothing new from it, and replaces its stamp.
#include "harness/devices/sim/streams/host_knowledge.h"

#include <algorithm>
#include <utility>

namespace harness::devices {

static constexpr std::size_t kSweepAt = 1024;

void HostKnowledge::begin(Scheduler& scheduler) {
  constexpr std::size_t kFirstSize = 256;
  scheduler_ = &scheduler;
  ++run_;
  known_count_ = 1;
  sweep_at_ = kSweepAt;
  handed_on_ = kNothing;
  last_knower_ = kNewcomer;
  task_count_ = left_count_ = 0;
  if (left_.empty()) left_.resize(kFirstSize);
  left_mask_ = left_.size() - 1;
  EdgeListener::current = this;
}

HostKnowledge::Who& HostKnowledge::task(std::size_t index) {
  if (index >= tasks_.size()) tasks_.resize(index + 1);
  for (; task_count_ <= index; ++task_count_) tasks_[task_count_] = {kNothing, ++last_knower_};
  return tasks_[index];
}

bool HostKnowledge::all_know(const OrderPoint& point) {
  const auto tasks = scheduler_->tasks().all();
  if (tasks.empty()) return known_[task(0).knows].clock.includes(point);
  return std::all_of(tasks.begin(), tasks.end(), [&](const auto& each) {
    const std::size_t index = raw(each->id) + std::size_t{1};
    const Stamp stamp = index < task_count_ ? tasks_[index].knows : kNothing;
    return each->state == scheduling::Task::State::done || known_[stamp].clock.includes(point);
  });
}

bool HostKnowledge::saw(const Clock& clock) {
  Stamp& mine = task(here()).knows;
  if (known_[mine].clock.includes(clock)) return false;
  if (mine <= handed_on_) mine = add(mine);
  known_[mine].clock.join(clock);
  return true;
}

void HostKnowledge::starts_anew(const Clock& clock) {
  if (!scheduler_->in_task()) {
    saw(clock);
    return;
  }
  Who& mine = task(here());
  mine = {kNothing, ++last_knower_};
  if (clock.empty()) return;
  mine.knows = add(kNothing);
  known_[mine.knows].clock = clock;
}

// ---- knowledge --------------------------------------------------------------------------------

/// Adds a copy of the knowledge of a stamp. Returns the copy's stamp. Other references may become
/// invalid.
HostKnowledge::Stamp HostKnowledge::add(const Stamp& from) {
  if (known_count_ == sweep_at_) sweep();
  if (known_count_ == known_.size()) known_.emplace_back();
  Known& added = known_[known_count_];
  added.clock = known_[from].clock;
  added.from = from;
  return static_cast<Stamp>(known_count_++);
}

/// Removes the stamps that nothing refers to.
void HostKnowledge::sweep() {
  std::vector<Known> kept(1);
  std::vector<Stamp> renamed(known_count_, kNothing);
  const auto keep = [&](Stamp& stamp) {
    if (stamp == kNothing) return;
    Stamp& name = renamed[stamp];
    if (name == kNothing) {
      name = static_cast<Stamp>(kept.size());
      kept.push_back({std::move(known_[stamp].clock)});
    }
    stamp = name;
  };
  for (std::size_t i = 0; i < task_count_; ++i) keep(tasks_[i].knows);
  for (Left& left : left_)
    if (left.run == run_) keep(left.stamp);
  known_ = std::move(kept);
  known_count_ = known_.size();
  sweep_at_ = std::max(kSweepAt, 2 * known_count_);
  handed_on_ = static_cast<Stamp>(known_count_ - 1);
}

bool HostKnowledge::includes(Stamp stamp, Stamp other) const {
  return known_[stamp].clock.includes(known_[other].clock);
}

/// Returns whether `stamp` derives from `other`, which is a quick way to see that it includes it.
bool HostKnowledge::comes_from(Stamp stamp, Stamp other) const {
  while (stamp > other) stamp = known_[stamp].from;
  return stamp == other;
}

/// Adds the teller's knowledge to the listener's, which takes over the teller's stamp if it knows
/// less.
void HostKnowledge::tell(Stamp& listener, const Stamp& teller) {
  if (!comes_from(teller, listener)) {
    if (includes(listener, teller)) return;
    if (!includes(teller, listener)) {
      listener = add(listener);
      known_[listener].clock.join(known_[teller].clock);
      return;
    }
  }
  listener = teller;
  handed_on_ = std::max(handed_on_, teller);
}

// ---- places -----------------------------------------------------------------------------------

HostKnowledge::Left& HostKnowledge::left_at(const void* place) {
  std::size_t index = slot(place);
  while (left_[index].run == run_ && left_[index].place != place) index = (index + 1) & left_mask_;
  return left_[index];
}

/// Doubles the table. Called before it is more than half full.
void HostKnowledge::grow() {
  const std::vector<Left> old = std::exchange(left_, std::vector<Left>(2 * left_.size()));
  left_mask_ = left_.size() - 1;
  for (const Left& each : old)
    if (each.run == run_) left_at(each.place) = each;
}

/// Adds the knowledge of a task that releases at a place which already has an entry.
void HostKnowledge::add_to(Left& left, const Who& mine) {
  if (left.knower != mine.as) {
    tell(left.stamp, mine.knows);
    left.knower = left.stamp == mine.knows ? mine.as : kNobody;
    return;
  }
  left.stamp = mine.knows;
  handed_on_ = std::max(handed_on_, mine.knows);
}

/// Leaves the running task's knowledge at a place.
void HostKnowledge::leave(const void* place) {
  const Who mine = me();
  Left* left = &left_at(place);
  if (left->run == run_) return add_to(*left, mine);
  if (2 * ++left_count_ > left_.size()) {
    grow();
    left = &left_at(place);
  }
  *left = {place, run_, mine.knows, mine.as};
  handed_on_ = std::max(handed_on_, mine.knows);
}

/// Gives the running task the knowledge that was left at a place.
void HostKnowledge::take(const void* place) {
  Left& left = left_at(place);
  if (left.run != run_) return;
  Who& mine = task(here());
  tell(mine.knows, left.stamp);
  left.knower = mine.as;
}

void HostKnowledge::released(const void* place) {
  const Who mine = me();
  if (mine.knows == kNothing) return;  // The task has not waited for anything.
  Left& left = left_[slot(place)];
  if (!left.is(place, run_)) return leave(place);
  if (left.stamp != mine.knows) add_to(left, mine);
}

void HostKnowledge::acquired(const void* place) {
  if (left_count_ == 0) return;  // No task has released anything.
  const Who mine = me();
  const Left& left = left_[slot(place)];
  if (!left.is(place, run_) || (left.stamp != mine.knows && left.knower != mine.as)) take(place);
}

void HostKnowledge::passed(const void* place) {
  const Stamp mine = me().knows;
  const Left& left = left_[slot(place)];
  if (left.is(place, run_) ? left.stamp == mine : left_count_ == 0 && mine == kNothing) return;
  acquired(place);
  released(place);
}

void HostKnowledge::spawned(std::uint16_t id) {
  const Stamp mine = me().knows;
  task(id + std::size_t{1}).knows = mine;
  handed_on_ = std::max(handed_on_, mine);
}

}  // namespace harness::devices
