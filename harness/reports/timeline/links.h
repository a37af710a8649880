// SPDX-License-Identifier: Apache-2.0
// Timeline links: what follows from the rows: how long things lived and ran, and what led to what.
#pragma once

#include "harness/reports/timeline/rows.h"

namespace harness::reports {

/// Returns how long lives, work and turns lasted, from row to row.
std::vector<Span> spans_of(TimelineRows& rows);
/// Returns which row led to which, and the order that is missing.
std::vector<Edge> edges_of(TimelineRows& rows);

}  // namespace harness::reports
