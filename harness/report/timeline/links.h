// SPDX-License-Identifier: Apache-2.0
// Timeline links: derives spans and edges from the rows.
#pragma once

#include "harness/report/timeline/rows.h"

namespace harness::reports {

/// Returns the spans of lives, work and turns.
std::vector<Span> spans_of(TimelineRows& rows);
/// Returns the edges from causes to effects, and the missing order.
std::vector<Edge> edges_of(TimelineRows& rows);

}  // namespace harness::reports
