// SPDX-License-Identifier: Apache-2.0
// Night curves: results of the nights of a history, drawn.
#pragma once

#include <string>
#include <vector>

#include "harness/nightly/past.h"
#include "harness/report/html.h"

namespace harness::reports {

/// Returns SVG elements for the last nights: known findings, new ones, missed canaries and speed;
/// "" for fewer than two nights.
Markup night_curves(const std::vector<nightly::PastNight>& past);

/// Returns the style sheet's rules of the drawings.
Markup night_curves_style();

}  // namespace harness::reports
