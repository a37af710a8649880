// SPDX-License-Identifier: Apache-2.0
// Night trends: series over nights, drawn with the points at which they changed.
#pragma once

#include <string>

#include "harness/nightly/night.h"
#include "harness/report/html.h"

namespace harness::reports {

/// Returns the section of the trends: an SVG curve for each series of whole nights and each that
/// changed, with its change points and their revisions; "" if there is none.
Markup trends_section(const nightly::Night& night);

/// Returns "speed of argpack/own: -3.1 % since night 34 (abc)".
std::string change_in_words(const nightly::Trend& trend, const nightly::ChangePoint& change);

/// Returns the style sheet's rules of the drawings.
Markup trends_style();

}  // namespace harness::reports
