// SPDX-License-Identifier: Apache-2.0
// Trend: series over nights, and where they changed. They show changes that are too slow to be
// noticed in a single night or by the gate.
//
// Only nights on the same kind of machine are compared, because another machine is not a change of
// the program; whole nights only if they searched the same target.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/nightly/change_points.h"
#include "harness/nightly/database.h"
#include "harness/nightly/plan.h"

namespace harness::nightly {

/// Length of the part of a series that is used.
inline constexpr std::size_t kMostTrendNights = 90;

enum class Quantity : unsigned char {
  speed,         ///< Runs per second, without minimizing.
  executions,    ///< Runs of the night.
  memory,        ///< Peak memory of the largest shard's process, in bytes.
  instructions,  ///< User-mode instructions per run, on average.
};

/// Returns "speed", "executions", "memory" or "instructions".
std::string_view to_text(Quantity quantity);

/// Returns whether a higher value is better.
bool more_is_better(Quantity quantity);

struct TrendPoint {
  std::uint64_t number = 0;  ///< Number of the night.
  std::string revision;      ///< Name of the source tree's state; "" if unknown.
  double value = 0;
};

struct Trend {
  std::string path;  ///< "" = the whole night.
  std::string variant;
  Quantity quantity = Quantity::speed;
  std::vector<TrendPoint> points;    ///< By night; only values that were recorded and are not 0.
  std::vector<ChangePoint> changes;  ///< By index in `points`.

  /// Returns "path/variant", or "all".
  std::string name() const;
  /// Returns whether the change is for the worse.
  bool is_worse(const ChangePoint& change) const;
};

/// Returns the trends of all variants that a night searched, and of the whole night, up to that
/// night; only those with at least two nights.
std::vector<Trend> trends_of(Database& database, const std::string& night, const Terms& terms);

}  // namespace harness::nightly
