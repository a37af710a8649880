// SPDX-License-Identifier: Apache-2.0
// The legend of a timeline: a sample of each kind of shape, with its meaning.
#include <algorithm>

#include "harness/report/timeline/drawing.h"
#include "harness/report/timeline/glyphs.h"

namespace harness::reports {
namespace {

constexpr int kMiddleX = 20, kMiddleY = 12;

Markup item(const Markup& sample, std::string_view meaning) {
  return Markup::of(
      "<li><svg class=\"sample\" aria-hidden=\"true\" width=\"40\" height=\"24\">{}</svg>{}</li>\n",
      sample, meaning);
}

Markup edge_sample(EdgeKind kind) {
  return Markup::of("<path class=\"edge {}\" d=\"M3 {}H30\"/>{}", class_of(kind), kMiddleY,
                    arrow_head(class_of(kind), 37, kMiddleY, 1));
}

Markup span_sample(SpanKind kind) {
  const int half = kind == SpanKind::turns ? 3 : 7;
  return Markup::of("<rect class=\"{}\" x=\"4\" y=\"{}\" width=\"32\" height=\"{}\" rx=\"{}\"/>",
                    class_of(kind), kMiddleY - half, 2 * half, half);
}

Markup mark_sample(MarkKind kind, LaneKind lane) { return glyph(kind, lane, kMiddleX, kMiddleY); }

bool has(const Timeline& timeline, MarkKind kind) {
  return std::any_of(timeline.rows.begin(), timeline.rows.end(), [&](const Row& row) {
    return std::any_of(row.marks.begin(), row.marks.end(),
                       [&](const Mark& mark) { return mark.kind == kind; });
  });
}

bool has(const Timeline& timeline, SpanKind kind) {
  return std::any_of(timeline.spans.begin(), timeline.spans.end(),
                     [&](const Span& span) { return span.kind == kind; });
}

struct EdgeMeaning {
  EdgeKind kind;
  std::string_view meaning;
};
constexpr EdgeMeaning kEdges[] = {
    {EdgeKind::missing, "the order that is missing"}, {EdgeKind::ordered, "ordered by an event"},
    {EdgeKind::submitted, "queued, then executed"},   {EdgeKind::caused, "comes of this op"},
    {EdgeKind::recycled, "got the storage"},
};

struct MarkMeaning {
  MarkKind kind;
  LaneKind lane;
  std::string_view meaning;
};
constexpr MarkMeaning kMarks[] = {
    {MarkKind::fault, LaneKind::task, "the fault"},
    {MarkKind::other, LaneKind::task, "another fault"},
    {MarkKind::birth, LaneKind::object, "birth"},
    {MarkKind::death, LaneKind::object, "death"},
    {MarkKind::undead, LaneKind::object, "the death that is missing"},
    {MarkKind::meet, LaneKind::object, "used, or met"},
    {MarkKind::op, LaneKind::task, "an op of the driver"},
    {MarkKind::event, LaneKind::task, "another event"},
};

struct SpanMeaning {
  SpanKind kind;
  std::string_view meaning;
};
constexpr SpanMeaning kSpans[] = {
    {SpanKind::life, "alive"},
    {SpanKind::afterlife, "dead, and still used"},
    {SpanKind::work, "executing"},
    {SpanKind::turns, "keeps the turn"},
};

}  // namespace

Markup legend(const Timeline& timeline) {
  Markup html("<ul class=\"legend\" aria-label=\"Legend\">\n");
  for (const auto& [kind, meaning] : kEdges)
    if (timeline.find(kind) != nullptr) html += item(edge_sample(kind), meaning);
  for (const auto& [kind, lane, meaning] : kMarks)
    if (has(timeline, kind)) html += item(mark_sample(kind, lane), meaning);
  for (const auto& [kind, meaning] : kSpans)
    if (has(timeline, kind)) html += item(span_sample(kind), meaning);
  return html + "</ul>\n";
}

}  // namespace harness::reports
