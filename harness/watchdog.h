// SPDX-License-Identifier: Apache-2.0
// Watchdog: a loop of the code under test that takes no turn for seconds, as a crash. No signal
// would end it.
//
// A timer of the thread's processor time ticks a few times a second. If ticks find the same step of
// the same run for kEndlessSeconds, the last of them leaves the code under test as a signal would
// (crash.h). Processor time is used, so that a loaded machine makes no difference, and ticks are
// counted, so that a stopped machine does not either. A run and a turn cost no timer.
//
// Only code that runs while a Watched exists is watched, not the harness's work between runs. A
// tick inside the C library's allocator is skipped, because the allocator cannot be left there.
// Threads: the timer belongs to the thread. Errors: without such a timer nothing is watched, and
// neither is it under TSan, which delays signals until the next system call.
#pragma once

#include <cstdint>

#include "harness/base.h"
#include "harness/label.h"

namespace harness {

/// Instead of a signal's name, in crashes and signatures.
inline constexpr Label kEndlessLoop = "endless loop";

/// Processor time of one step that takes no turn. It is noticed at the next tick.
inline constexpr int kEndlessSeconds = 2;

/// Code under test runs, and takes turns.
class Watched {
 public:
  /// `turns` counts up with each turn. Null where code may wait in one step for as long as it
  /// takes, as a real driver does: then nothing is watched.
  explicit Watched(const Tick* turns) : turns_(turns), previous_(innermost_) {
    step();
    innermost_ = this;
  }
  ~Watched() { innermost_ = previous_; }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  /// One of many steps within a turn, such as a block of a kernel.
  static void step() { ++steps_; }

  /// The position of the code under test. Equal as long as it takes neither turn nor step.
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
