// SPDX-License-Identifier: Apache-2.0
// price: compares the costs of the variants of a path.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace harness::entries {

struct PriceOptions {
  std::vector<std::string> paths;  ///< Names of paths; none = all.
  std::uint64_t drawn = 100;       ///< Number of random programs for each path.
  std::uint64_t seed = 1;
  std::string corpus = "corpus";
  bool time = false;   ///< Measure host time, too.
  bool brief = false;  ///< One row per variant.
  bool json = false;
};

/// Runs the command and returns its exit code.
int price(const PriceOptions& options);

}  // namespace harness::entries
