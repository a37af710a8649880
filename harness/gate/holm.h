// Holm: which of many findings stand, so that the chance of any wrong one stays below a level.
//
// Source: Holm 1979, "A simple sequentially rejective multiple test procedure". It asks nothing of
// how the benchmarks of a suite depend on each other.
#pragma once

#include <span>
#include <vector>

namespace harness::gate {

/// Returns for each chance whether its finding stands, among all of them, at `level`.
std::vector<bool> holm(std::span<const double> chances, double level);

}  // namespace harness::gate
