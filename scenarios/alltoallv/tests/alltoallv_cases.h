// SPDX-License-Identifier: Apache-2.0
// Cases of the alltoallv scenario, for its tests.
#pragma once

#include <algorithm>

#include "harness/core/fault/kinds.h"
#include "harness/run/tests/scenario_cases.h"
#include "harness/search/minimize/minimize.h"
#include "scenarios/alltoallv/programs.h"

namespace scenarios::alltoallv {

extern const harness::Scenario scenario;

namespace testing {

using harness::testing::first_signature;
using harness::testing::sim;

inline constexpr harness::testing::VariantFinder variant_named{scenario};
inline constexpr harness::testing::CaseMaker make_case{scenario};

/// Returns kinds and object kinds of the faults, without repetitions, in the order of the run.
inline std::vector<std::string> faults_of(const harness::Outcome& outcome) {
  std::vector<std::string> words;
  for (const harness::Fault& fault : outcome.faults) {
    std::string word = std::string(to_label(fault.kind).view()) + " " + fault.object_kind.c_str();
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  return words;
}

}  // namespace testing
}  // namespace scenarios::alltoallv
