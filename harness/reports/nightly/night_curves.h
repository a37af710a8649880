// SPDX-License-Identifier: Apache-2.0
// Night curves: the result of a history, night by night, drawn.
#pragma once

#include <string>
#include <vector>

#include "harness/nightly/past.h"

namespace harness::reports {

/// Returns SVG elements over the last nights: findings that are known, new ones, missed canaries
/// and speed; "" where there are fewer than two nights.
std::string night_curves(const std::vector<nightly::PastNight>& past);

/// Returns the style sheet's rules of the drawings.
std::string night_curves_style();

}  // namespace harness::reports
