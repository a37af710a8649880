// SPDX-License-Identifier: Apache-2.0
// How it works. Each row has text right of all lanes, wrapped if necessary, so texts never overlap.
// Layers are drawn from back to front: bands, lanes, spans, edges, marks, text.
#include "harness/report/timeline/drawing.h"

#include <algorithm>

#include "harness/base/printable.h"
#include "harness/report/html.h"
#include "harness/report/terminal.h"
#include "harness/report/timeline/glyphs.h"

namespace harness::reports {
namespace {

constexpr int kTurnWidth = 52;
constexpr int kLeastLaneWidth = 92;
constexpr int kMostLaneWidth = 120;
constexpr int kRoomForLanes = 480;
constexpr int kRoom = 1180;  ///< A wide window shows this without scrolling.
constexpr int kHeaderHeight = 66;
constexpr int kRowHeight = 28;
constexpr int kLineHeight = 17;
constexpr int kGapHeight = 16;
constexpr int kMissingRoom = 22;  ///< Above the fault, so that the missing edge is visible.
constexpr int kLetterWidth = 8;
constexpr int kLeastTextColumns = 52;
constexpr int kMostTextColumns = 84;
constexpr std::size_t kNameColumns = 12;
constexpr std::size_t kNameLines = 3;

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != text.npos; begin = end + 1)
    lines.push_back(text.substr(begin, end - begin));
  lines.push_back(text.substr(begin));
  return lines;
}

/// Breaks a name into lines of at most kNameColumns, inside a word if necessary.
std::vector<std::string> name_lines(const std::string& name) {
  std::vector<std::string> lines;
  for (std::string line : split(wrapped(name, kNameColumns, 0)))
    for (; !line.empty() && lines.size() < kNameLines;
         line.erase(0, prefix_bytes(line, kNameColumns)))
      lines.push_back(line.substr(0, prefix_bytes(line, kNameColumns)));
  return lines;
}

class Drawing {
 public:
  explicit Drawing(const Timeline& timeline)
      : timeline_(timeline),
        lane_width_(std::clamp(kRoomForLanes / std::max(1, static_cast<int>(timeline.lanes.size())),
                               kLeastLaneWidth, kMostLaneWidth)),
        text_columns_(static_cast<std::size_t>(
            std::clamp((kRoom - text_x()) / kLetterWidth, kLeastTextColumns, kMostTextColumns))) {
    int y = kHeaderHeight;
    const Edge* missing = timeline.find(EdgeKind::missing);
    for (std::size_t i = 0; i < timeline.rows.size(); ++i) {
      const Row& row = timeline.rows[i];
      texts_.push_back(split(wrapped(printable(row.text), text_columns_, 2)));
      y += row.left_out > 0 ? kGapHeight : 0;
      y += missing != nullptr && missing->to.row == i ? kMissingRoom : 0;
      tops_.push_back(y);
      y += height(i);
    }
    height_ = y + 12;
  }

  Markup draw(std::string_view description) const {
    const int width = text_x() + static_cast<int>(text_columns_) * kLetterWidth + 8;
    Markup svg = Markup::of(
        "<svg class=\"timeline\" role=\"img\" aria-labelledby=\"timeline-title timeline-desc\" "
        "width=\"{0}\" "
        "height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n<title id=\"timeline-title\">Timeline of the "
        "run</title>\n"
        "<desc id=\"timeline-desc\">{2}</desc>\n",
        width, height_, description);
    svg += bands(width) + header() + lanes() + spans() + touches();
    for (const Edge& edge : timeline_.edges)
      if (edge.kind != EdgeKind::missing) svg += this->edge(edge);
    svg += marks();
    if (const Edge* missing = timeline_.find(EdgeKind::missing)) svg += missing_edge(*missing);
    return svg + texts() + "</svg>\n";
  }

 private:
  int height(std::size_t row) const {
    return kRowHeight + (static_cast<int>(texts_[row].size()) - 1) * kLineHeight;
  }
  int x(std::size_t lane) const {
    return kTurnWidth + static_cast<int>(lane) * lane_width_ + lane_width_ / 2;
  }
  int y(std::size_t row) const { return tops_[row] + kRowHeight / 2; }
  int text_x() const {
    return kTurnWidth + static_cast<int>(timeline_.lanes.size()) * lane_width_ + 10;
  }

  bool dies_in(const Row& row) const {
    return std::any_of(row.marks.begin(), row.marks.end(),
                       [](const Mark& mark) { return mark.kind == MarkKind::death; });
  }

  Markup bands(int width) const {
    Markup svg;
    for (std::size_t i = 0; i < timeline_.rows.size(); ++i) {
      const Row& row = timeline_.rows[i];
      const std::string_view band = row.weight == Weight::fault ? "bad"
                                    : dies_in(row)              ? "death"
                                                                : "";
      if (!band.empty())
        svg += Markup::of("<rect class=\"band-{}\" x=\"0\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
                          band, tops_[i], width, height(i));
    }
    return svg;
  }

  Markup header() const {
    Markup svg = Markup::of("<text class=\"axis\" x=\"{}\" y=\"{}\">{}</text>\n", kTurnWidth - 10,
                            kHeaderHeight - 14, timeline_.unit);
    for (std::size_t lane = 0; lane < timeline_.lanes.size(); ++lane) {
      const std::string name = printable(timeline_.lanes[lane].name);
      const std::vector<std::string> lines = name_lines(name);
      int at = kHeaderHeight - 14 - (static_cast<int>(lines.size()) - 1) * 15;
      svg += Markup::of("<g class=\"lane-name {}\"><title>{}</title>",
                        class_of(timeline_.lanes[lane].kind), name);
      for (const std::string& line : lines) {
        svg += Markup::of("<text x=\"{}\" y=\"{}\">{}</text>", x(lane), at, line);
        at += 15;
      }
      svg += "</g>\n";
    }
    return svg;
  }

  Markup lanes() const {
    Markup svg;
    for (std::size_t lane = 0; lane < timeline_.lanes.size(); ++lane)
      svg += Markup::of("<path class=\"lane\" d=\"M{} {}V{}\"/>\n", x(lane), kHeaderHeight - 6,
                        height_ - 4);
    return svg;
  }

  Markup spans() const {
    Markup svg;
    for (const Span& span : timeline_.spans) {
      const int half = span.kind == SpanKind::turns ? 3 : 8;
      const int ends = span.kind == SpanKind::turns ? 0 : 9;
      svg += Markup::of(
          "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>\n",
          class_of(span.kind), x(span.lane) - half, y(span.first) - ends, 2 * half,
          y(span.last) - y(span.first) + 2 * ends, half);
    }
    return svg;
  }

  /// Draws a line from the mark that acts in a row to the marks of its objects.
  Markup touches() const {
    Markup svg;
    for (std::size_t row = 0; row < timeline_.rows.size(); ++row) {
      const std::vector<Mark>& marks = timeline_.rows[row].marks;
      for (std::size_t i = 1; i < marks.size(); ++i)
        svg += Markup::of("<path class=\"touch{}\" d=\"M{} {}H{}\"/>\n",
                          timeline_.rows[row].weight == Weight::fault ? " bad" : "",
                          x(marks[0].lane), y(row), x(marks[i].lane));
    }
    return svg;
  }

  Markup edge(const Edge& edge) const {
    const int x1 = x(edge.from.lane), y1 = y(edge.from.row), x2 = x(edge.to.lane),
              y2 = y(edge.to.row);
    const int side = x1 < x2 ? -1 : 1;
    const int end = x2 + side * 10;
    const int middle = x1 == x2 ? x1 + 34 : (x1 + end) / 2;
    return Markup::of("<path class=\"edge {0}\" d=\"M{1} {2}C{3} {2} {3} {4} {5} {4}\"/>{6}\n",
                      class_of(edge.kind), x1, y1, middle, y2, end,
                      arrow_head(class_of(edge.kind), end, y2, -side));
  }

  /// Draws an edge down the lane of the object that died, and then to the use.
  Markup missing_edge(const Edge& edge) const {
    const int x1 = x(edge.from.lane), y1 = y(edge.from.row) + 10, x2 = x(edge.to.lane),
              y2 = y(edge.to.row);
    if (x1 == x2)
      return Markup::of("<path class=\"edge missing\" d=\"M{0} {1}V{2}\"/>", x1, y1, y2 - 18) +
             arrow_down("missing", x1, y2 - 11) + missing_label(x1, y1, y2);
    const int side = x1 < x2 ? -1 : 1;
    const int end = x2 + side * 12;
    return Markup::of("<path class=\"edge missing\" d=\"M{0} {1}V{2}Q{0} {3} {4} {3}H{5}\"/>", x1,
                      y1, y2 - 12, y2, x1 - side * 12, end + side * 6) +
           arrow_head("missing", end, y2, -side) + missing_label(x1, y1, y2);
  }

  Markup missing_label(int at, int y1, int y2) const {
    const int middle = (y1 + y2) / 2;
    return Markup::of(
        "<rect class=\"label-ground\" x=\"{}\" y=\"{}\" width=\"64\" height=\"18\" rx=\"9\"/>"
        "<text class=\"label\" x=\"{}\" y=\"{}\">missing</text>\n",
        at - 32, middle - 10, at, middle + 3);
  }

  Markup marks() const {
    Markup svg;
    for (std::size_t row = 0; row < timeline_.rows.size(); ++row)
      for (const Mark& mark : timeline_.rows[row].marks)
        svg += glyph(mark.kind, timeline_.lanes[mark.lane].kind, x(mark.lane), y(row)) + "\n";
    return svg;
  }

  Markup texts() const {
    Markup svg;
    for (std::size_t i = 0; i < timeline_.rows.size(); ++i) {
      const Row& row = timeline_.rows[i];
      if (row.left_out > 0)
        svg += Markup::of(
            "<text class=\"gap\" x=\"{}\" y=\"{}\">\u22ee<title>{} more</title></text>\n",
            kTurnWidth - 14, tops_[i] - 1, row.left_out);
      svg += Markup::of(
          "<text class=\"turn\" x=\"{}\" y=\"{}\">{}</text>\n<text class=\"{}\" y=\"{}\">",
          kTurnWidth - 10, y(i) + 4, row.turn, dies_in(row) ? "w-death" : class_of(row.weight),
          y(i) + 4);
      int down = 0;
      for (const std::string& line : texts_[i]) {
        const int indent = down > 0 ? 2 * kLetterWidth : 0;
        svg += Markup::of(
            "<tspan x=\"{}\" dy=\"{}\">{}</tspan>", text_x() + indent, down,
            cut(line.substr(std::min(line.size(), line.find_first_not_of(' '))), text_columns_));
        down = kLineHeight;
      }
      svg += "</text>\n";
    }
    return svg;
  }

  const Timeline& timeline_;
  const int lane_width_;
  const std::size_t text_columns_;
  std::vector<std::vector<std::string>> texts_;  ///< Lines of text for each row.
  std::vector<int> tops_;
  int height_;
};

}  // namespace

Markup draw(const Timeline& timeline, std::string_view description) {
  return Drawing(timeline).draw(description);
}

}  // namespace harness::reports
