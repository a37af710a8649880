// SPDX-License-Identifier: Apache-2.0
// Deadline: the time at which a part of a night must end. A night of a given number of runs has
// none.
//
// Units: seconds.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>

namespace harness::nightly {

/// The difference of a replay that the deadline ended or prevented.
inline constexpr const char* kOutOfTime = "not replayed: out of time";

class Deadline {
 public:
  /// A deadline that never passes.
  Deadline() = default;
  /// Returns a deadline this many seconds from now.
  static Deadline in(double seconds) {
    Deadline deadline;
    deadline.end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                       std::chrono::duration<double>(std::min(seconds, kMost)));
    return deadline;
  }

  /// Returns the remaining time: at least 0, and infinity if it never passes.
  double seconds_left() const {
    if (!end_) return std::numeric_limits<double>::infinity();
    return std::max(0.0, std::chrono::duration<double>(*end_ - Clock::now()).count());
  }
  /// Returns whether no time remains.
  bool has_passed() const { return seconds_left() <= 0; }
  /// Returns the earlier of this deadline and the one this many seconds from now.
  Deadline within(double seconds) const { return in(std::min(seconds, seconds_left())); }
  /// Returns the deadline after this share of the remaining time.
  Deadline part(double share) const { return end_ ? in(share * seconds_left()) : Deadline(); }
  /// Returns the later of this deadline and the one this many seconds from now.
  Deadline at_least(double seconds) const {
    return end_ ? in(std::max(seconds, seconds_left())) : Deadline();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double kMost = 1e9;  ///< In seconds, so that the clock does not overflow.

  std::optional<Clock::time_point> end_;
};

}  // namespace harness::nightly
