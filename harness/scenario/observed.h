// SPDX-License-Identifier: Apache-2.0
// Observed: what a driver has told the judges of a run. Plain data.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace harness {

/// The moment at which everything was dropped, collected and synchronised.
struct Quiescence {
  std::size_t event_count = 0;  ///< Events until then.
  std::size_t life_count = 0;   ///< Lives until then.
};

/// Ways in that a claim may distinguish, at most.
inline constexpr std::size_t kWayLimit = 2;

struct Observed {
  bool exercised = false;      ///< The code under test really ran.
  bool shows_nothing = false;  ///< An oracle found the run vacuous nevertheless.
  std::uint64_t reached = 0;   ///< Windows, a bit each.
  std::array<std::uint64_t, kWayLimit> reached_by{};  ///< The same, by each way in.
  /// Windows that a documented refusal kept out of, by each way in.
  std::array<std::uint64_t, kWayLimit> refused_by{};
  std::uint64_t ops = 0;     ///< Ops that ran, a bit each.
  std::size_t baseline = 1;  ///< The first life that must have ended at quiescence.
  std::optional<Quiescence> quiescent;
  /// Returns whether the run shows nothing.
  bool vacuous() const { return shows_nothing || !exercised; }
};

}  // namespace harness
