// SPDX-License-Identifier: Apache-2.0
// Timeline glyphs: the shapes of marks, edges and spans, for the drawing and its legend.
#pragma once

#include <string_view>

#include "harness/report/html.h"
#include "harness/report/timeline/timeline.h"

namespace harness::reports {

/// Returns the class in the style sheet.
std::string_view class_of(LaneKind kind);
std::string_view class_of(EdgeKind kind);
std::string_view class_of(SpanKind kind);
std::string_view class_of(Weight weight);

/// Returns a mark with its centre at (x, y).
Markup glyph(MarkKind kind, LaneKind lane, int x, int y);

/// Returns an arrow head with its tip at (x, y). `direction`: 1 points to the right, -1 to the
/// left.
Markup arrow_head(std::string_view edge, int x, int y, int direction);
/// Returns an arrow head that points down, with its tip at (x, y).
Markup arrow_down(std::string_view edge, int x, int y);

}  // namespace harness::reports
