// SPDX-License-Identifier: Apache-2.0
// Holm: which of many findings stand, so that the probability of any wrong one stays below a level.
//
// Source: Holm 1979, "A simple sequentially rejective multiple test procedure". It makes no
// assumption about the dependence between benchmarks of a suite.
#pragma once

#include <span>
#include <vector>

namespace harness::gate {

/// Returns for each probability whether its finding stands, among all of them, at `level`.
std::vector<bool> holm(std::span<const double> chances, double level);

}  // namespace harness::gate
