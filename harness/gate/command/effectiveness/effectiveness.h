// SPDX-License-Identifier: Apache-2.0
// effectiveness: measures how soon a search finds the first fault of each window, how many runs
// minimizing it takes, and how large it then is. Compares two programs by these numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/gate/effectiveness.h"

namespace harness::entries {

struct EffectivenessOptions {
  std::string target;           ///< "", "path" or "path/variant".
  std::uint64_t searches = 3;   ///< Number of searches of each unsound variant.
  std::uint64_t first = 1;      ///< Number of the first one.
  std::uint64_t limit = 300;    ///< Limit of runs for a search.
  std::uint64_t minimized = 1;  ///< Searches per variant whose first faults are minimized.
  std::string strategy = "random_walk";
  std::vector<std::string> compare;  ///< Two files of earlier searches, base and head.
  bool windows = false;              ///< Compare each window separately.
  std::string canaries;              ///< A record to judge the comparison itself by; "" = none.
  bool json = false;
};

/// Runs the command and returns its exit code.
int effectiveness(const EffectivenessOptions& options);

/// Makes the searches of the options. Throws UsageError if no variant is claimed to be unsound.
gate::SideSample searched(const EffectivenessOptions& options);

}  // namespace harness::entries
