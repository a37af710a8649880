// SPDX-License-Identifier: Apache-2.0
// Gate plot: the ratio of each benchmark with its interval, one per row.
#pragma once

#include "harness/gate/comparison.h"
#include "harness/report/html.h"

namespace harness::reports {

/// Returns an SVG element; "" if no benchmark has an estimate.
Markup gate_plot(const gate::Comparison& comparison);

/// Returns the style sheet's rules of the plot.
Markup gate_plot_style();

}  // namespace harness::reports
