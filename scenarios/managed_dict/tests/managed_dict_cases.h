// SPDX-License-Identifier: Apache-2.0
// Cases of the managed_dict scenario, for its tests.
#pragma once

#include "harness/run/tests/scenario_cases.h"
#include "harness/search/minimize/minimize.h"
#include "scenarios/managed_dict/programs.h"

namespace scenarios::managed_dict {

extern const harness::Scenario scenario;

namespace testing {

using harness::testing::first_signature;
using harness::testing::sim;

inline constexpr harness::testing::VariantFinder variant_named{scenario};
inline constexpr harness::testing::CaseMaker make_case{scenario};

}  // namespace testing
}  // namespace scenarios::managed_dict
