// SPDX-License-Identifier: Apache-2.0
// Timeline drawing: a timeline as inline SVG, with time downwards: a column per lane, a line of
// text per row.
//
// Colours and fonts come from the page's style sheet, by class. Deterministic: coordinates are
// integers.
#pragma once

#include <string>

#include "harness/report/html.h"
#include "harness/report/timeline/timeline.h"

namespace harness::reports {

/// Returns the drawing. `description`: text for screen readers.
Markup draw(const Timeline& timeline, std::string_view description);

/// Returns a list of the kinds of marks and edges in the drawing, with their meanings.
Markup legend(const Timeline& timeline);

}  // namespace harness::reports
