// Cases of the graph_argument scenario, for its tests.
#pragma once

#include <string_view>

#include "harness/minimize.h"
#include "harness/run.h"
#include "scenarios/graph_argument/programs.h"

namespace scenarios::graph_argument {

extern const harness::Scenario scenario;

namespace testing {

inline std::size_t variant_named(std::string_view name) {
  for (std::size_t i = 0; i < scenario.variants.size(); ++i)
    if (scenario.variants[i].name.view() == name) return i;
  HARNESS_CHECK(false, "no such variant");
}

inline const harness::DeviceInfo& sim() {
  return *harness::find(harness::tables::devices(), "sim");
}

inline harness::Case make_case(std::size_t variant, const harness::Config& config,
                               harness::Tape tape = {}) {
  return {&scenario, variant, config, &sim(), std::move(tape)};
}
inline harness::Case make_case(std::string_view variant, std::string_view config,
                               const Program& program) {
  return make_case(variant_named(variant), harness::parse_config(scenario, config), program.tape());
}

/// "" when nothing failed.
inline std::string first_signature(const harness::Outcome& outcome) {
  return outcome.failed() ? outcome.faults[0].signature() : "";
}

}  // namespace testing
}  // namespace scenarios::graph_argument
