// SPDX-License-Identifier: Apache-2.0
// Holm: decides which of many findings are significant, so that the probability of any false one
// stays below a level.
//
// Source: Holm 1979, "A simple sequentially rejective multiple test procedure". It is valid for any
// dependence between the benchmarks of a suite.
#pragma once

#include <span>
#include <vector>

namespace harness::gate {

/// Returns for each p-value whether its finding is significant among all of them, at `level`.
std::vector<bool> holm(std::span<const double> chances, double level);

}  // namespace harness::gate
