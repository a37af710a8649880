// SPDX-License-Identifier: Apache-2.0
// Spans: how long tasks kept the turn, work ran and objects lived, in rows.
#include <algorithm>

#include "harness/report/timeline/links.h"

namespace harness::reports {
namespace {

constexpr std::size_t kNone = TimelineRows::kNone;

void add_turns(const TimelineRows& rows, std::vector<Span>& spans) {
  for (std::size_t row = 0; row < rows.rows().size(); ++row) {
    const Mark& actor = rows.rows()[row].marks.front();
    const bool goes_on =
        !spans.empty() && spans.back().lane == actor.lane && spans.back().last + 1 == row;
    if (goes_on)
      spans.back().last = row;
    else
      spans.push_back({SpanKind::turns, actor.lane, row, row});
  }
}

/// Returns the row in which the work that begins at `start` ends; the last row if it does not end.
std::size_t end_of_work(const TimelineRows& rows, std::size_t start) {
  const Event& begun = *rows.items()[start].event;
  for (std::size_t i = start + 1; i < rows.items().size(); ++i) {
    const Event* event = rows.items()[i].event;
    const bool ends = event != nullptr && event->kind == EventKind::finish &&
                      event->object == begun.object && event->what == begun.what &&
                      event->activation == begun.activation;
    if (ends) return rows.row_of(i) != kNone ? rows.row_of(i) : rows.row_of(start);
  }
  return rows.rows().size() - 1;
}

void add_work(TimelineRows& rows, std::vector<Span>& spans) {
  for (std::size_t i = 0; i < rows.items().size(); ++i) {
    const Event* event = rows.items()[i].event;
    if (event != nullptr && event->kind == EventKind::start && rows.row_of(i) != kNone)
      spans.push_back(
          {SpanKind::work, rows.lanes().of_actor(*event), rows.row_of(i), end_of_work(rows, i)});
  }
}

void add_life(const TimelineRows& rows, std::size_t lane, std::vector<Span>& spans) {
  std::size_t first = 0, death = kNone, last = 0;
  for (std::size_t row = 0; row < rows.rows().size(); ++row)
    for (const Mark& mark : rows.rows()[row].marks) {
      if (mark.lane != lane) continue;
      if (mark.kind == MarkKind::birth) first = row;
      if (mark.kind == MarkKind::death) death = row;
      last = row;
    }
  spans.push_back({SpanKind::life, lane, first, death != kNone ? death : rows.rows().size() - 1});
  if (death != kNone && last > death) spans.push_back({SpanKind::afterlife, lane, death, last});
}

}  // namespace

std::vector<Span> spans_of(TimelineRows& rows) {
  std::vector<Span> spans;
  add_turns(rows, spans);
  const std::vector<Lane> lanes = rows.lanes().sorted();
  const std::vector<std::size_t> places = rows.lanes().places();
  std::erase_if(spans,
                [&](const Span& span) { return lanes[places[span.lane]].kind != LaneKind::task; });
  add_work(rows, spans);
  for (std::size_t lane = 0; lane < lanes.size(); ++lane)
    if (lanes[places[lane]].kind == LaneKind::object) add_life(rows, lane, spans);
  return spans;
}

}  // namespace harness::reports
