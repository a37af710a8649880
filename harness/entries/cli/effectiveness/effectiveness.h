// SPDX-License-Identifier: Apache-2.0
// effectiveness: how soon a search finds the first fault of each window, how many runs it takes to
// make that plain, and how large it then is; and whether another program does so worse.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/gate/effectiveness.h"

namespace harness::entries {

struct EffectivenessOptions {
  std::string target;           ///< "", "path" or "path/variant".
  std::uint64_t searches = 3;   ///< This many of each unsound variant.
  std::uint64_t first = 1;      ///< Number of the first one.
  std::uint64_t limit = 300;    ///< Runs of a search.
  std::uint64_t minimized = 1;  ///< In this many searches of a variant first faults are minimized.
  std::string strategy = "random_walk";
  std::vector<std::string> compare;  ///< Two files of earlier searches, base and head.
  bool windows = false;              ///< Compare each window by itself.
  std::string canaries;  ///< A record, by which the comparison itself is judged; "" = none.
  bool json = false;
};

/// Runs the command and returns its exit code.
int effectiveness(const EffectivenessOptions& options);

/// Searches as the options say. Throws UsageError where no variant is claimed to be unsound.
gate::SideSample searched(const EffectivenessOptions& options);

}  // namespace harness::entries
