// SPDX-License-Identifier: Apache-2.0
// Trend: series over nights, and where they changed: what grows so slowly that no night and no gate
// shows it.
//
// Compared are nights on machines of one class: another machine is not a change of the program. Of
// nights as a whole, those that searched the same.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/nightly/change_points.h"
#include "harness/nightly/database.h"
#include "harness/nightly/plan.h"

namespace harness::nightly {

/// The last this many nights of a series count.
inline constexpr std::size_t kMostTrendNights = 90;

enum class Quantity : unsigned char {
  speed,         ///< Runs a second, without minimizing.
  executions,    ///< Runs of the night.
  memory,        ///< Bytes, at the peak of the largest shard's process.
  instructions,  ///< Those of a run, on average, in user mode.
};

/// Returns "speed", "executions", "memory" or "instructions".
std::string_view to_text(Quantity quantity);

/// Returns whether more of it is better.
bool more_is_better(Quantity quantity);

struct TrendPoint {
  std::uint64_t number = 0;  ///< The number of the night.
  std::string revision;      ///< Name of the tree's state; "" = not known.
  double value = 0;
};

struct Trend {
  std::string path;  ///< "" = the whole night.
  std::string variant;
  Quantity quantity = Quantity::speed;
  std::vector<TrendPoint> points;    ///< By night; where it was recorded, and is not 0.
  std::vector<ChangePoint> changes;  ///< By place in `points`.

  /// Returns "path/variant", or "all".
  std::string name() const;
  /// Returns whether that change is for the worse.
  bool is_worse(const ChangePoint& change) const;
};

/// Returns the trends of all variants that a night searched, and of all of it, up to that night;
/// only those of at least two nights.
std::vector<Trend> trends_of(Database& database, const std::string& night, const Terms& terms);

}  // namespace harness::nightly
