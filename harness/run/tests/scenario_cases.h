// SPDX-License-Identifier: Apache-2.0
// Cases of a scenario on the simulated device, for tests.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "harness/run/run.h"
#include "harness/run/tables.h"

namespace harness::testing {

inline const DeviceInfo& sim() { return *find(tables::devices(), "sim"); }

/// "" when nothing failed.
inline std::string first_signature(const Outcome& outcome) {
  return outcome.failed() ? outcome.faults[0].signature() : "";
}

/// Finds a variant of a scenario by its name.
struct VariantFinder {
  const Scenario& scenario;

  std::size_t operator()(std::string_view name) const {
    return harness::variant_named(scenario, name);
  }
};

/// Makes cases of a scenario.
struct CaseMaker {
  const Scenario& scenario;

  Case operator()(std::size_t variant, const Config& config, Tape tape = {}) const {
    return {&scenario, variant, config, &sim(), std::move(tape)};
  }
  /// `Program` is the scenario's: a tape put together op by op.
  template <class Program>
  Case operator()(std::string_view variant, std::string_view config, const Program& program) const {
    return (*this)(harness::variant_named(scenario, variant), parse_config(scenario, config),
                   program.tape());
  }
};

}  // namespace harness::testing
