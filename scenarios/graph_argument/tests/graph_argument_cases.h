// Cases of the graph_argument scenario, for its tests.
#pragma once

#include <string_view>

#include "harness/minimize.h"
#include "harness/tests/scenario_cases.h"
#include "scenarios/graph_argument/programs.h"

namespace scenarios::graph_argument {

extern const harness::Scenario scenario;

namespace testing {

using harness::testing::first_signature;
using harness::testing::sim;

inline std::size_t variant_named(std::string_view name) {
  return harness::variant_named(scenario, name);
}

inline harness::Case make_case(std::size_t variant, const harness::Config& config,
                               harness::Tape tape = {}) {
  return {&scenario, variant, config, &sim(), std::move(tape)};
}
inline harness::Case make_case(std::string_view variant, std::string_view config,
                               const Program& program) {
  return make_case(variant_named(variant), harness::parse_config(scenario, config), program.tape());
}

}  // namespace testing
}  // namespace scenarios::graph_argument
