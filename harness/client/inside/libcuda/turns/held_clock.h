// SPDX-License-Identifier: Apache-2.0
// Held clock: the program's clock while its threads take turns. It advances only while all of them
// wait. In programs with Python, the system's clocks are shown, plus the time that was skipped.
#pragma once

#include <time.h>

#include <atomic>
#include <chrono>
#include <cstdint>

#include "harness/client/inside/libcuda/turns/baton.h"

namespace harness::entries {

/// Threads: any, after hold().
class HeldClock {
 public:
  /// Stops the program's clocks.
  static void hold(Baton& baton);
  /// Returns whether this clock is held. Other clocks count processor time.
  static bool tells(clockid_t clock);
  /// Returns the time that the clock shows, in ns.
  static std::int64_t now(clockid_t clock);
  /// Returns the time left until `end`; no limit for null.
  static Baton::Limit rest_until(const Moment* end);

  /// Lets time pass at once, if it is more than none, in a program whose clocks are not held.
  static void skip(std::chrono::nanoseconds time);
  /// Returns the time that was skipped so far, in ns.
  static const std::atomic<std::int64_t>& skipped();

  static constexpr std::int64_t kSecond = 1'000'000'000;
  static std::int64_t in_nanoseconds(const timespec& at) {
    return at.tv_sec * kSecond + at.tv_nsec;
  }
};

}  // namespace harness::entries
