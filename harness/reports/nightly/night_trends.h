// SPDX-License-Identifier: Apache-2.0
// Night trends: series over nights with the points at which they changed, drawn.
#pragma once

#include <string>

#include "harness/nightly/night.h"

namespace harness::reports {

/// Returns the section of the trends: an SVG curve for each of the whole night and for each that
/// changed, its change points marked and told with their revisions; "" where there is none.
std::string trends_section(const nightly::Night& night);

/// Returns "speed of argpack/own: -3.1 % since night 34 (abc)".
std::string change_in_words(const nightly::Trend& trend, const nightly::ChangePoint& change);

/// Returns the style sheet's rules of the drawings.
std::string_view trends_style();

}  // namespace harness::reports
