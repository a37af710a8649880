// SPDX-License-Identifier: Apache-2.0
// Deadline: the moment at which a part of a night has to end. A night in runs has none.
//
// Units: seconds.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>

namespace harness::nightly {

/// The difference of a replay that the deadline cut off or kept from starting.
inline constexpr const char* kOutOfTime = "not replayed: out of time";

class Deadline {
 public:
  /// Makes one that never passes.
  Deadline() = default;
  /// Returns the one this many seconds from now.
  static Deadline in(double seconds) {
    Deadline deadline;
    deadline.end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                       std::chrono::duration<double>(std::min(seconds, kMost)));
    return deadline;
  }

  /// Returns what is left: never less than 0, and infinity if it never passes.
  double seconds_left() const {
    if (!end_) return std::numeric_limits<double>::infinity();
    return std::max(0.0, std::chrono::duration<double>(*end_ - Clock::now()).count());
  }
  /// Returns whether nothing is left.
  bool has_passed() const { return seconds_left() <= 0; }
  /// Returns the earlier one of this and the one this many seconds from now.
  Deadline within(double seconds) const { return in(std::min(seconds, seconds_left())); }
  /// Returns the one after this part of what is left.
  Deadline part(double share) const { return end_ ? in(share * seconds_left()) : Deadline(); }
  /// Returns the later one of these two.
  Deadline at_least(double seconds) const {
    return end_ ? in(std::max(seconds, seconds_left())) : Deadline();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double kMost = 1e9;  ///< In seconds; of more, the clock would run over.

  std::optional<Clock::time_point> end_;
};

}  // namespace harness::nightly
