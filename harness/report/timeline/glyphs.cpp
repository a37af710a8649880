// SPDX-License-Identifier: Apache-2.0
#include "harness/report/timeline/glyphs.h"

namespace harness::reports {

std::string_view class_of(LaneKind kind) {
  switch (kind) {
    case LaneKind::task:
      return "task";
    case LaneKind::stream:
      return "stream";
    case LaneKind::object:
      return "object";
  }
  return {};
}

std::string_view class_of(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::missing:
      return "missing";
    case EdgeKind::ordered:
      return "ordered";
    case EdgeKind::submitted:
      return "submitted";
    case EdgeKind::caused:
      return "caused";
    case EdgeKind::recycled:
      return "recycled";
  }
  return {};
}

std::string_view class_of(SpanKind kind) {
  switch (kind) {
    case SpanKind::turns:
      return "span-turns";
    case SpanKind::work:
      return "span-work";
    case SpanKind::life:
      return "span-life";
    case SpanKind::afterlife:
      return "span-afterlife";
  }
  return {};
}

std::string_view class_of(Weight weight) {
  switch (weight) {
    case Weight::noise:
      return "w-noise";
    case Weight::minor:
    case Weight::light:
      return "w-light";
    case Weight::op:
      return "w-op";
    case Weight::concerned:
      return "w-concerned";
    case Weight::fault:
      return "w-fault";
  }
  return {};
}

Markup glyph(MarkKind kind, LaneKind lane, int x, int y) {
  const std::string_view of = class_of(lane);
  switch (kind) {
    case MarkKind::op:
      return Markup::of(
          "<rect class=\"fill {}\" x=\"{}\" y=\"{}\" width=\"14\" height=\"14\" rx=\"3\"/>", of,
          x - 7, y - 7);
    case MarkKind::event:
      return Markup::of("<circle class=\"ring {}\" cx=\"{}\" cy=\"{}\" r=\"4\"/>", of, x, y);
    case MarkKind::birth:
      return Markup::of("<circle class=\"fill object\" cx=\"{}\" cy=\"{}\" r=\"7\"/>", x, y);
    case MarkKind::death:
      return Markup::of(
          "<g class=\"dead\"><circle cx=\"{0}\" cy=\"{1}\" r=\"10\"/><path d=\"M{2} {3}l9 9m0 "
          "-9l-9 9\"/></g>",
          x, y, x - 4.5, y - 4.5);
    case MarkKind::meet:
      return Markup::of("<path class=\"ring {}\" d=\"M{} {}l7 7l-7 7l-7 -7z\"/>", of, x, y - 7);
    case MarkKind::undead:
      return Markup::of(
          "<g class=\"undead\"><circle cx=\"{0}\" cy=\"{1}\" r=\"10\"/><path d=\"M{2} {3}l9 9m0 "
          "-9l-9 9\"/></g>",
          x, y, x - 4.5, y - 4.5);
    case MarkKind::other:
      return Markup::of(
          "<circle class=\"ring bad\" cx=\"{0}\" cy=\"{1}\" r=\"8\"/><path class=\"bang ring bad\" "
          "d=\"M{0} {2}v4m0 3v1\"/>",
          x, y, y - 4);
    case MarkKind::fault:
      return Markup::of(
          "<circle class=\"fill bad\" cx=\"{0}\" cy=\"{1}\" r=\"11\"/><path class=\"bang\" "
          "d=\"M{0} {2}v7m0 4v1\"/>",
          x, y, y - 6);
  }
  return {};
}

Markup arrow_head(std::string_view edge, int x, int y, int direction) {
  return Markup::of("<path class=\"head {}\" d=\"M{} {}l{} -5v10z\"/>", edge, x, y, -8 * direction);
}

Markup arrow_down(std::string_view edge, int x, int y) {
  return Markup::of("<path class=\"head {}\" d=\"M{} {}l-5 -8h10z\"/>", edge, x, y);
}

}  // namespace harness::reports
