// Cases of a scenario on the simulated device, for tests.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "harness/run.h"
#include "harness/tables.h"

namespace harness::testing {

inline const DeviceInfo& sim() { return *find(tables::devices(), "sim"); }

/// "" when nothing failed.
inline std::string first_signature(const Outcome& outcome) {
  return outcome.failed() ? outcome.faults[0].signature() : "";
}

}  // namespace harness::testing
