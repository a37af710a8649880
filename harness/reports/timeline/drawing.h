// SPDX-License-Identifier: Apache-2.0
// Timeline drawing: a timeline as inline SVG, time downwards: a column per lane, a line of text per
// row.
//
// Colours and fonts are those of the page's style sheet, by class. Deterministic: places are whole
// numbers.
#pragma once

#include <string>

#include "harness/reports/timeline/timeline.h"

namespace harness::reports {

/// The drawing. `description` is read to code that cannot see it.
std::string draw(const Timeline& timeline, std::string_view description);

/// A list of the marks and edges that the drawing has, each with its meaning.
std::string legend(const Timeline& timeline);

}  // namespace harness::reports
