// SPDX-License-Identifier: Apache-2.0
// Phase: the current activity of a night, for display.
#pragma once

#include <array>
#include <string_view>

#include "harness/base/base.h"

namespace harness::nightly {

enum class Phase : unsigned char { plan, run, minimize, replay, triage, record, merge, report };

/// Returns the phase's name.
inline std::string_view to_text(Phase phase) {
  static constexpr std::array<std::string_view, 8> kWords{"plan",   "run",    "minimize", "replay",
                                                          "triage", "record", "merge",    "report"};
  return kWords[raw(phase)];
}

}  // namespace harness::nightly
