// SPDX-License-Identifier: Apache-2.0
// HostKnowledge: which device work each task knows to be done, because it has waited for it, or was
// told by one that knows: by a lock that was handed over, a latch, a count that it came to, or by
// being spawned. What one has waited for orders nothing for another who was told nothing.
//
// Source: the threads' clocks of FastTrack (Flanagan and Freund 2009), of which only the part about
// device work is kept.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/devices/sim/streams/clock.h"
#include "harness/sanitizers.h"
#include "harness/scheduler.h"

namespace harness::devices {

/// All that runs outside of tasks counts as one task, threads of a program without a world, too:
/// what orders those is not seen.
/// Ownership: borrows the scheduler of the run. Threads: the run's thread.
class HostKnowledge final : public EdgeListener {
 public:
  HostKnowledge() = default;
  HostKnowledge(const HostKnowledge&) = delete;  // It listens.
  HostKnowledge& operator=(const HostKnowledge&) = delete;
  ~HostKnowledge() override { end(); }

  /// Forgets the last run, and listens to this one.
  void begin(Scheduler& scheduler);
  /// The run is over.
  void end() {
    if (EdgeListener::current == this) EdgeListener::current = nullptr;
  }

  /// Returns the work that the running task knows to be done.
  const Clock& mine() { return known_[me().knows].clock; }
  /// Returns whether every task that may still act knows that of a point.
  bool all_know(const OrderPoint& point);
  /// The running task has waited for the work. Returns whether that is news to it.
  bool saw(const Clock& clock);
  /// The driver calls a function on the running task, a separate thread, which has come from other
  /// functions: it knows of no more than what the function comes after. Outside of tasks that
  /// thread is one with the program's, which forget nothing.
  void starts_anew(const Clock& clock);

  void released(const void* place) override;
  void acquired(const void* place) override;
  void passed(const void* place) override;
  void spawned(std::uint16_t task) override;

 private:
  /// Number of something that is known. Tasks hand on a lock far more often than they wait for
  /// work, so that both sides mostly have the same stamp, which says so at once.
  using Stamp = std::uint32_t;
  static constexpr Stamp kNothing = 0;

  struct Known {
    Clock clock;
    Stamp from = kNothing;  ///< An earlier one that it includes.
  };

  /// A task, for as long as it forgets nothing: what it knew then, it still knows.
  using Knower = std::uint32_t;
  static constexpr Knower kNobody = 0;
  static constexpr Knower kNewcomer = 1;  ///< Has never been at a place.

  struct Who {
    Stamp knows = kNothing;
    Knower as = kNewcomer;
  };

  /// Knowledge that code that reaches a place, a lock for one, gets.
  struct Left {
    const void* place = nullptr;
    std::uint32_t run = 0;  ///< Whatever is of another run is free.
    Stamp stamp = kNothing;
    Knower knower = kNobody;  ///< Knows all of it, and so need not compare.
    /// Returns whether that place's is this one.
    bool is(const void* its_place, std::uint32_t its_run) const {
      return place == its_place && run == its_run;
    }
  };

  std::size_t here() const {
    return scheduler_->in_task() ? raw(scheduler_->current()) + std::size_t{1} : 0;
  }
  Who& task(std::size_t index);
  Who me() const {
    const std::size_t index = here();
    return index < task_count_ ? tasks_[index] : Who{};
  }

  std::size_t slot(const void* place) const {
    const auto address = reinterpret_cast<std::uintptr_t>(place);
    return (address >> 4 ^ address >> 11) & left_mask_;
  }
  Left& left_at(const void* place);
  [[gnu::noinline]] void add_to(Left& left, const Who& mine);
  [[gnu::noinline]] void leave(const void* place);
  [[gnu::noinline]] void take(const void* place);
  void grow();

  Stamp add(const Stamp& from);
  void sweep();
  bool includes(Stamp stamp, Stamp other) const;
  bool comes_from(Stamp stamp, Stamp other) const;
  void tell(Stamp& listener, const Stamp& teller);

  Scheduler* scheduler_ = nullptr;
  std::uint32_t run_ = 0;
  std::vector<Known> known_{1};  ///< By stamp. Kept for their storage.
  std::size_t known_count_ = 1;
  std::size_t sweep_at_ = 0;    ///< This many are too many, and some of them no one's.
  Stamp handed_on_ = kNothing;  ///< All up to this one may be several's, and stay as they are.
  std::vector<Who> tasks_;      ///< By id, from 1 on.
  Knower last_knower_ = kNewcomer;
  std::size_t task_count_ = 0;
  std::vector<Left> left_;  ///< By the hash of the place, the next free one if that is taken.
  std::size_t left_mask_ = 0;
  std::size_t left_count_ = 0;
};

}  // namespace harness::devices
