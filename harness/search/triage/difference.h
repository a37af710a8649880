// SPDX-License-Identifier: Apache-2.0
// Difference: the first step in which a run differs from the same run of a program without the
// fault. All later differences follow from it.
//
// Source: the first divergence of two aligned executions, as in differential slicing (Johnson et
// al., 2011), https://doi.org/10.1109/SP.2011.41
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/core/history/trail.h"
#include "harness/search/triage/triage.h"

namespace harness::triaging {

// How a step differs from the good run, for Repair::got; else an argument.
inline constexpr Label kDone = "not done";
inline constexpr Label kLeftOut = "done";
inline constexpr Label kOtherwise = "done with what it was";

struct Difference {
  Trail::Step step;       ///< From the bad run, or from the good run if only that has it.
  Label how;              ///< How it differs from the good run.
  std::size_t index = 0;  ///< Index of the step in its run.
  bool is_good = false;   ///< The step is from the good run.
};

/// Returns the first difference; nothing if the runs are the same.
std::optional<Difference> difference_of(const Trail& good, const Trail& bad);

/// Returns the repair that reverts the step, by its action and site.
Repair revert_of(const Difference& difference);
/// Returns the same by a place in the sources instead of the site.
Repair revert_at(const Difference& difference, const std::string& place);

}  // namespace harness::triaging
