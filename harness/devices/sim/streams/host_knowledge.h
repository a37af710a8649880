// HostKnowledge: which device work each task knows to be done, because it has waited for it, or was
// told by one who knows: by a lock that was handed over, a latch, a count that it came to, or by
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
  const Clock& mine() { return task(here()).clock; }
  /// Returns whether every task that may still act knows that of a point.
  bool all_know(const OrderPoint& point);
  /// The running task has waited for the work.
  void saw(const Clock& clock);
  /// The driver calls a function on the running task, a thread of its own, which has come from
  /// other functions: it knows of no more than what the function comes after.
  void starts_anew(const Clock& clock);

  void released(const void* place) override;
  void acquired(const void* place) override;
  void spawned(std::uint16_t task) override;

 private:
  /// The knowledge of a task, or that which was left at a place. Tasks hand on a lock far more
  /// often than they wait for work, so that both sides mostly know the same, and their stamps say
  /// so at once.
  struct Known {
    Clock clock;
    std::uint32_t stamp = kNothing;  ///< Those with the same stamp have equal clocks.
  };
  static constexpr std::uint32_t kNothing = 0;  ///< The stamp of a clock that is empty.

  /// Knowledge that whoever comes to a place, a lock for one, gets.
  struct Left {
    const void* place = nullptr;
    std::uint32_t run = 0;  ///< Whatever is of another run is free.
    Known known;
  };

  std::size_t here() const {
    return scheduler_->in_task() ? raw(scheduler_->current()) + std::size_t{1} : 0;
  }
  Known& task(std::size_t index);
  void tell(Known& listener, const Known& teller);
  Left& left_at(const void* place);
  void leave(const void* place, const Known& known);
  void grow();

  Scheduler* scheduler_ = nullptr;
  std::uint32_t run_ = 0;
  std::uint32_t last_stamp_ = kNothing;
  std::vector<Known> tasks_;  ///< By id, from 1 on. Kept for their storage.
  std::size_t task_count_ = 0;
  std::vector<Left> left_;  ///< By the hash of the place, the next free one if that is taken.
  std::size_t left_count_ = 0;
};

}  // namespace harness::devices
