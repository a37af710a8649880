// SPDX-License-Identifier: Apache-2.0
// Observed: the driver's reports to the judges of a run. Plain data.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace harness {

/// The moment at which everything was dropped, collected and synchronised.
struct Quiescence {
  std::size_t event_count = 0;  ///< Number of events until then.
  std::size_t life_count = 0;   ///< Number of lifetimes until then.
};

/// Maximum number of ways in that a claim distinguishes.
inline constexpr std::size_t kWayLimit = 2;

struct Observed {
  bool exercised = false;      ///< The code under test really ran.
  bool shows_nothing = false;  ///< An oracle found the run vacuous in spite of that.
  std::uint64_t reached = 0;   ///< Bit per window.
  std::array<std::uint64_t, kWayLimit> reached_by{};  ///< Bit per window, for each way in.
  /// Bit per window that a documented refusal kept the run out of, for each way in.
  std::array<std::uint64_t, kWayLimit> refused_by{};
  std::uint64_t ops = 0;     ///< Bit per op that ran.
  std::size_t baseline = 1;  ///< The first lifetime that must have ended at quiescence.
  std::optional<Quiescence> quiescent;
  /// Returns whether the run is vacuous.
  bool vacuous() const { return shows_nothing || !exercised; }
};

}  // namespace harness
