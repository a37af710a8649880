// SPDX-License-Identifier: Apache-2.0
#include "harness/search/triage/held_up.h"

#include <algorithm>
#include <limits>

namespace harness::triaging {

using scheduling::Task;

HeldUp::HeldUp(Strategy& inner, const std::vector<Turns>& turns, const World& world)
    : inner_(inner), world_(world) {
  for (const Turns& one : turns) precedences_.emplace_back(one, world);
}

void HeldUp::begin() {
  inner_.begin();
  for (Precedence& one : precedences_) one.begin();
}

std::uint32_t HeldUp::answer(const Question& question) {
  const bool is_asked = question.option_count > 1 || inner_.hears_all();
  const std::uint32_t wanted = is_asked ? inner_.answer(question) : 0;
  if (question.site != Site::schedule) return wanted;
  asking_ = question.activation;
  for (Precedence& one : precedences_) one.look(asking_);
  return choose(question, wanted);
}

bool HeldUp::was_kept() const {
  const auto refused = [](const Precedence& one) { return one.is_refused(); };
  const auto kept = [](const Precedence& one) { return one.was_kept(); };
  return std::none_of(precedences_.begin(), precedences_.end(), refused) &&
         std::any_of(precedences_.begin(), precedences_.end(), kept);
}

// ---- choosing the next task --------------------------------------------------------------------

const Task* HeldUp::task_of(std::uint32_t value) const {
  for (const auto& task : world_.scheduler.tasks().all())
    if ((static_cast<std::uint32_t>(task->name) | 1) == value) return task.get();
  return nullptr;
}

/// Without a task it is an engine, which is never held up.
HeldUp::Rank HeldUp::rank_of(const Task* task) {
  if (task == nullptr) return Rank::free;
  for (Precedence& one : precedences_)
    if (one.holds(*task, asking_)) return Rank::late;
  return task->slow_until > world_.scheduler.now() ? Rank::slow : Rank::free;
}

/// Changes one precedence at a time, because its late act may have to precede the next one's.
void HeldUp::settle() {
  for (Precedence& one : precedences_)
    if (one.settle()) return one.look(asking_);
  for (Precedence& one : precedences_)
    if (one.give_up()) return;
}

std::uint32_t HeldUp::choose(const Question& question, std::uint32_t wanted) {
  for (;;) {
    Rank best = Rank::late;
    for (std::uint32_t index = 0; index < question.option_count; ++index)
      best = std::min(best, rank_of(task_of(question.value(index))));
    if (best != Rank::late) {
      const bool is_best = rank_of(task_of(question.value(wanted))) == best;
      return is_best ? wanted : plainest(question, best);
    }
    settle();
  }
}

/// Returns the default: the running task if possible, else the first task, else the first engine.
std::uint32_t HeldUp::plainest(const Question& question, Rank rank) {
  std::uint32_t plainest = 0;
  std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
  for (std::uint32_t index = 0; index < question.option_count; ++index) {
    const Task* task = task_of(question.value(index));
    if (rank_of(task) != rank) continue;
    const bool is_running = task != nullptr && task == world_.scheduler.tasks().current();
    std::uint32_t place = std::numeric_limits<std::uint16_t>::max() + index;
    if (task != nullptr) place = is_running ? 0 : task->runnable + 1u;
    if (place >= least) continue;
    least = place;
    plainest = index;
  }
  return plainest;
}

}  // namespace harness::triaging
