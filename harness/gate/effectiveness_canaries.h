// SPDX-License-Identifier: Apache-2.0
// Effectiveness canaries: how often the comparison of effectiveness is wrong, computed from
// recorded searches of programs with known results.
//
// A comparison takes the searches of a base and of a head from the record in their order. No search
// is used twice by one canary.
#pragma once

#include <string>
#include <vector>

#include "harness/gate/effectiveness_record.h"
#include "harness/gate/rates.h"

namespace harness::gate {

/// Searches of each variant on a side, in the comparison of all windows together.
inline constexpr std::size_t kSearches = 3;
/// The same, where each window is compared by itself.
inline constexpr std::size_t kSearchesOfWindows = 60;
/// Factor of runs that must be detected, over all windows and in one.
inline constexpr double kFactor = 2, kFactorOfWindow = 4;

struct EffectivenessCanary {
  std::string program;       ///< Searched as the head: "unchanged", or a defect.
  bool each_window = false;  ///< Each window is compared by itself.
  bool is_false_alarm = false;
  std::size_t searches = 0;  ///< On a side, of each variant.
  Rate red;                  ///< Comparisons in which anything was called worse.
  Health health = Health::too_few;
};

/// Compares the programs of a record with what is unchanged, on these terms; those of the rule that
/// say whether windows are compared by themselves, and what must be found, are the canaries' own.
std::vector<EffectivenessCanary> judge_effectiveness(const EffectivenessRecord& record,
                                                     const EffectivenessRule& rule);

}  // namespace harness::gate
