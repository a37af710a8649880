// SPDX-License-Identifier: Apache-2.0
// Observed: the driver's reports to the judges of a run. Plain data.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "harness/run/scenario/index_set.h"  // IWYU pragma: export

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
  WindowSet reached;
  std::array<WindowSet, kWayLimit> reached_by{};  ///< The same, for each way in.
  /// The windows that a documented refusal kept the run out of, for each way in.
  std::array<WindowSet, kWayLimit> refused_by{};
  OpSet ops;                 ///< The ops that ran.
  std::size_t baseline = 1;  ///< The first lifetime that must have ended at quiescence.
  std::optional<Quiescence> quiescent;
  /// Returns whether the run is vacuous.
  bool vacuous() const { return shows_nothing || !exercised; }
};

}  // namespace harness
