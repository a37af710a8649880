// SPDX-License-Identifier: Apache-2.0
// Calibration views: the error rates of the gate for one command on one machine.
#pragma once

#include <cstddef>
#include <string>

#include "harness/gate/views/canary_views.h"

namespace harness::reports {

/// Returns a row for false alarms and one for each planted slowdown, by the gate and by two simpler
/// rules on the same samples, with intervals (Wilson, 95 %).
std::string calibration_table(const CanaryReport& report, std::size_t rounds,
                              const Terminal& terminal);

/// Returns the same as one object.
std::string calibration_json(const CanaryReport& report, std::size_t rounds);

}  // namespace harness::reports
