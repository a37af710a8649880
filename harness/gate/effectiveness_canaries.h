// SPDX-License-Identifier: Apache-2.0
// Effectiveness canaries: the error rates of the comparison of effectiveness, computed from
// recorded searches of programs with known results.
//
// A comparison takes consecutive searches of a base and of a head from the record. A canary uses
// each search at most once.
#pragma once

#include <string>
#include <vector>

#include "harness/gate/effectiveness_record.h"
#include "harness/gate/rates.h"

namespace harness::gate {

/// Searches of each variant on a side, if all windows are compared together.
inline constexpr std::size_t kSearches = 3;
/// The same if each window is compared separately.
inline constexpr std::size_t kSearchesOfWindows = 60;
/// Factors of runs that must be detected: over all windows, and in one window.
inline constexpr double kFactor = 2, kFactorOfWindow = 4;

struct EffectivenessCanary {
  std::string program;       ///< The program of the head: "unchanged", or a defect.
  bool each_window = false;  ///< Each window is compared separately.
  bool is_false_alarm = false;
  std::size_t searches = 0;  ///< Per side, for each variant.
  Rate red;                  ///< Comparisons in which something was called worse.
  Health health = Health::too_few;
};

/// Compares each program of a record with the unchanged one. The canaries determine `each_window`
/// and `factor`; other parameters come from `rule`.
std::vector<EffectivenessCanary> judge_effectiveness(const EffectivenessRecord& record,
                                                     const EffectivenessRule& rule);

}  // namespace harness::gate
