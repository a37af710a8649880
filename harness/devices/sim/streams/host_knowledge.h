// SPDX-License-Identifier: Apache-2.0
// HostKnowledge: the device work that each task knows to be done, because it has waited for it, or
// because of a synchronisation with a task that knows it: a lock, a latch, a counter, or its spawn.
// A wait of one task does not order the work for other tasks without such a synchronisation.
//
// Source: the clocks of threads in FastTrack (Flanagan and Freund 2009), restricted to device work.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/base/sanitizers/sanitizers.h"
#include "harness/core/scheduler/scheduler.h"
#include "harness/devices/sim/streams/clock.h"

namespace harness::devices {

/// Everything outside of tasks counts as one task, including the threads of a program without a
/// world, because their synchronisation is not visible.
/// Ownership: borrows the scheduler of the run. Threads: the run's thread.
class HostKnowledge final : public EdgeListener {
 public:
  HostKnowledge() = default;
  HostKnowledge(const HostKnowledge&) = delete;  // It is registered as a listener.
  HostKnowledge& operator=(const HostKnowledge&) = delete;
  ~HostKnowledge() override { end(); }

  /// Discards the last run, and listens to this one.
  void begin(Scheduler& scheduler);
  /// Ends the run.
  void end() {
    if (EdgeListener::current == this) EdgeListener::current = nullptr;
  }

  /// Returns the work that the running task knows to be done.
  const Clock& mine() { return known_[me().knows].clock; }
  /// Returns whether every task that may still act knows the work at a point to be done.
  bool all_know(const OrderPoint& point);
  /// Notes that the running task has waited for the work. Returns whether that adds to its
  /// knowledge.
  bool saw(const Clock& clock);
  /// Notes that the driver calls a function on the running task. As a separate thread, it only
  /// knows the work that precedes the function. Outside of tasks that thread counts as one of the
  /// program's, whose knowledge stays.
  void starts_anew(const Clock& clock);

  void released(const void* place) override;
  void acquired(const void* place) override;
  void passed(const void* place) override;
  void spawned(std::uint16_t task) override;

 private:
  /// Identifies a state of knowledge. Tasks hand over locks far more often than they wait for work,
  /// so that both sides usually have the same stamp, and need no comparison.
  using Stamp = std::uint32_t;
  static constexpr Stamp kNothing = 0;

  struct Known {
    Clock clock;
    Stamp from = kNothing;  ///< An earlier stamp whose knowledge this one includes.
  };

  /// A task, as long as its knowledge only grows.
  using Knower = std::uint32_t;
  static constexpr Knower kNobody = 0;
  static constexpr Knower kNewcomer = 1;  ///< A task that has not synchronised yet.

  struct Who {
    Stamp knows = kNothing;
    Knower as = kNewcomer;
  };

  /// The knowledge that a task gets when it acquires at a place, such as a lock.
  struct Left {
    const void* place = nullptr;
    std::uint32_t run = 0;  ///< Entries of other runs are free.
    Stamp stamp = kNothing;
    Knower knower = kNobody;  ///< A task that knows all of it, so that no comparison is needed.
    /// Returns whether this is the entry of that place.
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
  std::vector<Known> known_{1};  ///< By stamp. Kept to reuse the storage.
  std::size_t known_count_ = 1;
  std::size_t sweep_at_ = 0;    ///< Number of stamps at which unused ones are removed.
  Stamp handed_on_ = kNothing;  ///< Stamps up to this one may be shared, and must not change.
  std::vector<Who> tasks_;      ///< By id, from 1 on.
  Knower last_knower_ = kNewcomer;
  std::size_t task_count_ = 0;
  std::vector<Left> left_;  ///< By the hash of the place; if that is taken, the next free entry.
  std::size_t left_mask_ = 0;
  std::size_t left_count_ = 0;
};

}  // namespace harness::devices
