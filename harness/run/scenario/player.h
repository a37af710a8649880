// SPDX-License-Identifier: Apache-2.0
// Player: fills the op slots of a run's tasks.
//
// For a slot, the player looks at the current state, chooses one of the ops that make sense, and
// calls it. The op chooses its arguments. A path derives its player from this class, and adds the
// objects that its ops use and the list of options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "harness/run/scenario/ops.h"

namespace harness {

/// Notes that the current task runs an op, calls it, and returns its result. `call` returns an
/// enumeration in which 0 is ok. `judge` gets the result while the op is still the current site.
template <class Call, class Judge>
auto note_op(Scene& scene, std::size_t op, Call call, Judge judge) {
  World& world = scene.world();
  const Label name = scene.scenario().ops[op].name;
  const SiteScope site(world.scheduler, name);
  const std::size_t event = world.history.events().size();
  world.scheduler.note(EventKind::op, name);
  const auto answer = call();
  world.history.set_value(event, raw(answer));
  if (raw(answer) == 0) scene.count_op(op);
  judge(answer);
  return answer;
}
template <class Call>
auto note_op(Scene& scene, std::size_t op, Call call) {
  return note_op(scene, op, call, [](auto) {});
}

/// Returns whether `call` succeeded in at most four attempts. An injected error has no effect, so
/// that the next attempt may succeed.
template <class Call>
bool insist(Call call) {
  for (int attempt = 0; attempt < 4; ++attempt)
    if (call()) return true;
  return false;
}

/// The first use of an object. Tasks that interfere with it wait for that. Threads: the run's
/// thread.
class FirstUse {
 public:
  explicit FirstUse(Scheduler& scheduler) : latch_(scheduler, 1, "use") {}
  /// Waits until the use has begun.
  void wait() { latch_.wait(); }
  /// Begins the use. Later calls have no effect.
  void begin() {
    if (!std::exchange(begun_, true)) latch_.count_down();
  }

 private:
  Latch latch_;
  bool begun_ = false;
};

/// `Self` is the path's player, `Theme` the theme of a run; OpRow describes the other parameters.
/// Ownership: allocated in the run's arena; borrows the scene, the rows and the theme. Threads: the
/// run's thread.
template <class Self, class Situation, class Theme, class Answer>
class Player {
 public:
  using Row = OpRow<Self, Situation, Answer>;

  Player(const Player&) = delete;  // Tasks refer to it.
  Player& operator=(const Player&) = delete;

  /// Chooses the op for the slot, and calls it.
  void take_slot(const Slot& slot) {
    const ActivationScope activation(scene_.world().scheduler, slot.task, slot.index);
    fill(enabled_ops(slot.task), slot);
  }

 protected:
  Player(Scene& scene, std::span<const Row> rows, const Theme& theme)
      : scene_(scene), rows_(rows), theme_(theme) {}
  ~Player() = default;

  Scene& scene() const { return scene_; }
  const Theme& theme() const { return theme_; }

  const Situation& current_situation() {
    const std::size_t now = moment();
    if (now != situation_moment_) {
      situation_ = look();
      situation_moment_ = now;
      enabled_task_ = kNobody;
    }
    return situation_;
  }

  /// Chooses one of these ops for the slot, and calls it if it still makes sense.
  void fill(std::span<const std::uint8_t> offered, const Slot& slot) {
    const int picked = scene_.pick_op(offered);
    if (picked < 0) return;
    const auto op = static_cast<std::size_t>(picked);
    prepare(op, slot);
    play(op, slot);
  }

  /// Calls the op. Does nothing and returns false if it would make no sense.
  bool play(std::size_t op, const Slot& slot) {
    const Situation now = current_situation();
    if (!rows_[op].applies(now)) return false;
    run(op, now, slot);
    return true;
  }

  /// Sleeps for one of these numbers of turns, so that ops meet at different points of other tasks'
  /// calls.
  void nap(std::span<const std::uint32_t> turns) {
    Scheduler& scheduler = scene_.world().scheduler;
    std::uint32_t left = 0;
    {
      const ActivationScope activation(scheduler, scene_.world().picker.current().name, "nap", 0);
      left = turns[scene_.pick(Site::argument, static_cast<std::uint32_t>(turns.size()))];
    }
    for (; left > 0; --left) scheduler.turn({});
  }

 private:
  static constexpr std::uint32_t kNobody = 0xffffffff;

  /// Looks at the current state.
  virtual Situation look() const = 0;
  /// Returns a number that changes when the situation may have changed. In most paths, every change
  /// leaves an event.
  virtual std::size_t moment() const { return scene_.world().history.events().size(); }
  /// Lists the options for a slot of the task.
  virtual void list_enabled(OpList& list, std::uint32_t task, const Situation& now) const = 0;
  /// Called between the choice of an op and its call.
  virtual void prepare(std::size_t op, const Slot& slot) = 0;
  /// Notes the op and calls it.
  virtual void run(std::size_t op, const Situation& now, const Slot& slot) {
    note_op(scene_, op, [&] { return rows_[op].call(static_cast<Self&>(*this), now, slot); });
  }

  const OpList& enabled_ops(std::uint32_t task) {
    const Situation& now = current_situation();
    if (task != enabled_task_) {
      enabled_.clear();
      list_enabled(enabled_, task, now);
      enabled_task_ = task;
    }
    return enabled_;
  }

  Scene& scene_;
  std::span<const Row> rows_;
  const Theme& theme_;
  Situation situation_{};
  std::size_t situation_moment_ = ~std::size_t{0};
  OpList enabled_;
  std::uint32_t enabled_task_ = kNobody;  ///< The task for which the list was made.
};

}  // namespace harness
