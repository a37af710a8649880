// SPDX-License-Identifier: Apache-2.0
// Difference: the first step in which a run differs from the same run of a program that shows no
// fault. Everything that goes wrong follows from it.
//
// Source: the first divergence of two aligned executions, as in differential slicing (Johnson et
// al., 2011), https://doi.org/10.1109/SP.2011.41
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/history/trail.h"
#include "harness/triage.h"

namespace harness::triaging {

// How a step is not as in the good run, for Repair::got; else an argument.
inline constexpr Label kDone = "not done";
inline constexpr Label kLeftOut = "done";
inline constexpr Label kOtherwise = "done with what it was";

struct Difference {
  Trail::Step step;       ///< The bad run's, or the good one's where only that has it.
  Label how;              ///< How it differs from the good run.
  std::size_t index = 0;  ///< The step's, in its run.
  bool is_good = false;   ///< The run is the good one.
};

/// Returns the first difference; none if the two are one.
std::optional<Difference> difference_of(const Trail& good, const Trail& bad);

/// Returns what would be undone to get the good run, by what is done and where.
Repair revert_of(const Difference& difference);
/// Returns the same by a place in the sources instead of the site.
Repair revert_at(const Difference& difference, const std::string& place);

}  // namespace harness::triaging
