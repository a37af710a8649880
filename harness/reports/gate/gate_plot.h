// SPDX-License-Identifier: Apache-2.0
// Gate plot: each benchmark's ratio with its interval, drawn one below the other.
#pragma once

#include <string>

#include "harness/gate/comparison.h"

namespace harness::reports {

/// Returns an SVG element; "" where no benchmark has an estimate.
std::string gate_plot(const gate::Comparison& comparison);

/// Returns the style sheet's rules of the plot.
std::string gate_plot_style();

}  // namespace harness::reports
