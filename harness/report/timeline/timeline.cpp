// SPDX-License-Identifier: Apache-2.0
// How it works. choice.h selects the events to draw. rows.h makes a row of each, and a lane for
// each task, stream or object in it. links.h derives spans and edges from the rows. Lanes are
// sorted last.
#include "harness/report/timeline/timeline.h"

#include "harness/report/timeline/links.h"

namespace harness::reports {

const Edge* Timeline::find(EdgeKind kind) const {
  for (const Edge& edge : edges)
    if (edge.kind == kind) return &edge;
  return nullptr;
}

Timeline timeline(const Telling& telling, Extent extent) {
  TimelineRows rows(telling, extent);
  Timeline result;
  result.rows = rows.rows();
  result.spans = spans_of(rows);
  result.edges = edges_of(rows);
  result.lanes = rows.lanes().sorted();
  const std::vector<std::size_t> places = rows.lanes().places();
  for (Row& row : result.rows)
    for (Mark& mark : row.marks) mark.lane = places[mark.lane];
  for (Span& span : result.spans) span.lane = places[span.lane];
  for (Edge& edge : result.edges) {
    edge.from.lane = places[edge.from.lane];
    edge.to.lane = places[edge.to.lane];
  }
  return result;
}

}  // namespace harness::reports
