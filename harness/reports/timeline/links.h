// Timeline links: what follows from the rows: how long things lived and ran, and what led to what.
#pragma once

#include "harness/reports/timeline/rows.h"

namespace harness::reports {

std::vector<Span> spans_of(TimelineRows& rows);
std::vector<Edge> edges_of(TimelineRows& rows);

}  // namespace harness::reports
