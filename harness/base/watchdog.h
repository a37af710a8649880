// SPDX-License-Identifier: Apache-2.0
// Watchdog: treats a loop of the code under test that takes no turn for seconds as a crash. No
// signal would end such a loop.
//
// A timer of the thread's processor time ticks a few times a second. If ticks find the same step of
// the same run for kEndlessSeconds, the last of them leaves the code under test as a signal would
// (crash.h). Processor time is used, so that a loaded machine makes no difference, and ticks are
// counted, so that a stopped machine does not, either. A run and a turn do not touch the timer.
//
// Only code that runs while a Watched exists is watched, not the harness's work between runs. A
// tick inside the C library's allocator is skipped, because the allocator cannot be left there.
// Threads: the timer belongs to the thread. Errors: without such a timer nothing is watched. The
// same holds under TSan, which delays signals until the next system call.
#pragma once

#include <cstdint>

#include "harness/base/base.h"
#include "harness/base/label.h"

namespace harness {

/// The name in crashes and signatures, in place of a signal's.
inline constexpr Label kEndlessLoop = "endless loop";

/// Limit of processor time without a turn or step. An excess is noticed at the next tick.
inline constexpr int kEndlessSeconds = 2;

/// Watches code under test, which takes turns, while it exists.
class Watched {
 public:
  /// `turns` counts up with each turn. If it is null, nothing is watched: with a real driver, code
  /// may wait in one step for any time.
  explicit Watched(const Tick* turns) : turns_(turns), previous_(innermost_) {
    step();
    innermost_ = this;
  }
  ~Watched() { innermost_ = previous_; }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  /// Notes one of many steps within a turn, such as a block of a kernel.
  static void step() { ++steps_; }

  /// The progress of the code under test. Two values are equal if it took no turn and no step
  /// between them.
  struct Place {
    std::uint64_t steps = 0;  ///< Over all runs of the thread; 0 = nothing is watched.
    Tick turns = 0;
    bool operator==(const Place&) const = default;
  };
  /// Returns the position of the innermost watched code of this thread.
  static Place place();

 private:
  static inline constinit thread_local const Watched* innermost_ = nullptr;
  static inline constinit thread_local std::uint64_t steps_ = 0;

  const Tick* turns_;
  const Watched* previous_;
};

/// Starts the timer of this thread, once. Call catch_crashes() first.
void watch_for_endless_loops();

}  // namespace harness
