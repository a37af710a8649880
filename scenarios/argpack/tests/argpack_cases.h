// SPDX-License-Identifier: Apache-2.0
// Cases of the argpack scenario, for its tests.
#pragma once

#include "harness/run/tests/scenario_cases.h"
#include "harness/search/minimize/minimize.h"
#include "scenarios/argpack/programs.h"

namespace scenarios::argpack {

extern const harness::Scenario scenario;

namespace testing {

using harness::testing::first_signature;
using harness::testing::sim;

inline constexpr harness::testing::VariantFinder variant_named{scenario};
inline constexpr harness::testing::CaseMaker make_case{scenario};

}  // namespace testing
}  // namespace scenarios::argpack
