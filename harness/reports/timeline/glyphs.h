// SPDX-License-Identifier: Apache-2.0
// Timeline glyphs: the shapes of marks, edges and spans, which the drawing and its legend share.
#pragma once

#include <string>
#include <string_view>

#include "harness/reports/timeline/timeline.h"

namespace harness::reports {

/// Returns the class of the style sheet by which it is drawn.
std::string_view class_of(LaneKind kind);
std::string_view class_of(EdgeKind kind);
std::string_view class_of(SpanKind kind);
std::string_view class_of(Weight weight);

/// A mark with its middle at (x, y).
std::string glyph(MarkKind kind, LaneKind lane, int x, int y);

/// A head whose point is at (x, y); `direction` is 1 for one that points right, -1 for left.
std::string arrow_head(std::string_view edge, int x, int y, int direction);
/// Returns a head that points down, with its point at (x, y).
std::string arrow_down(std::string_view edge, int x, int y);

}  // namespace harness::reports
