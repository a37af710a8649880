// SPDX-License-Identifier: Apache-2.0
// How it works. One row per benchmark. The axis is in percent, and its range is that of the widest
// interval, up to a limit. A longer interval is cut off, and ends in an arrow.
#include "harness/gate/views/gate_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "harness/base/printable.h"
#include "harness/gate/views/gate_words.h"
#include "harness/report/html.h"

namespace harness::reports {
namespace {

constexpr double kNames = 300, kLeft = 320, kWidth = 800, kRow = 26, kTop = 34;
constexpr double kLeastReach = 5, kMostReach = 30;  ///< In percent, on each side.
constexpr std::size_t kNameBytes = 40;

double in_percent(double log_ratio) {
  return std::isfinite(log_ratio) ? 100 * std::expm1(log_ratio) : std::copysign(1e6, log_ratio);
}

std::string_view kind_of(gate::Verdict verdict) {
  const Colour colour = colour_of(verdict);
  return colour == Colour::red ? "bad" : colour == Colour::green ? "good" : "open";
}

class Plot {
 public:
  explicit Plot(const gate::Comparison& comparison) : rule_(comparison.plan.rule) {
    for (const gate::Row& row : comparison.result.rows)
      if (row.estimate) rows_.push_back(&row);
    for (const gate::Row* row : rows_)
      reach_ = std::max({reach_, std::abs(in_percent(row->estimate->low)),
                         std::abs(in_percent(row->estimate->high))});
    reach_ = std::min(reach_ * 1.05, kMostReach);
  }

  Markup drawing() const {
    if (rows_.empty()) return {};
    const double height = kTop + kRow * static_cast<double>(rows_.size()) + 8;
    Markup svg = Markup::of(
        "<svg class=\"ratios\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" role=\"img\" aria-label=\"Ratio of head to base with its interval, "
        "per benchmark\">\n",
        kLeft + kWidth + 20, height);
    svg += mark(0, "0 %", "zero", height) + mark(100 * rule_.slower_by, "", "margin", height) +
           mark(100 * rule_.allowed, percent(std::log1p(rule_.allowed)), "allowed", height);
    for (const double edge : {-reach_, reach_})
      svg += Markup::of("<text class=\"axis\" x=\"{:.1f}\" y=\"16\">{:+.0f} %</text>\n", x(edge),
                        edge);
    for (std::size_t i = 0; i < rows_.size(); ++i) svg += row(*rows_[i], i);
    return svg + "</svg>\n";
  }

 private:
  double x(double percents) const {
    return kLeft + kWidth * (std::clamp(percents, -reach_, reach_) + reach_) / (2 * reach_);
  }

  Markup mark(double percents, std::string_view name, std::string_view kind, double height) const {
    return Markup::of(
        "<line class=\"mark {0}\" x1=\"{1:.1f}\" x2=\"{1:.1f}\" y1=\"22\" y2=\"{2:.0f}\"/><text "
        "class=\"axis\" x=\"{1:.1f}\" y=\"16\">{3}</text>\n",
        kind, x(percents), height, name);
  }

  Markup row(const gate::Row& row, std::size_t index) const {
    const double y = kTop + kRow * (static_cast<double>(index) + 0.5);
    const double low = in_percent(row.estimate->low), high = in_percent(row.estimate->high);
    Markup svg = Markup::of(
        "<g class=\"{}\"><title>{}: {} ({}), {}</title><text class=\"name\" x=\"{:.0f}\" "
        "y=\"{:.1f}\">{}</text>",
        kind_of(row.verdict), row.name, ratio_of(row), interval_of(row), verdict_of(row), kNames,
        y + 4, shown(row.name, kNameBytes));
    svg += Markup::of(
        "<line class=\"interval\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>",
        x(low), x(high), y, y);
    svg += end(low, y) + end(high, y);
    return svg + Markup::of("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/></g>\n",
                            x(in_percent(row.estimate->log_ratio)), y);
  }

  /// Draws the end of an interval: a bar, or an arrow if it is cut off.
  Markup end(double percents, double y) const {
    const double at = x(percents);
    const bool cut = std::abs(percents) > reach_;
    const double out = percents < 0 ? -6 : 6;
    return cut ? Markup::of("<path d=\"M{:.1f} {:.1f}l{:.0f} 5l{:.0f} 5\"/>", at, y - 5, out, -out)
               : Markup::of("<path d=\"M{:.1f} {:.1f}v10\"/>", at, y - 5);
  }

  const gate::Rule& rule_;
  std::vector<const gate::Row*> rows_;
  double reach_ = kLeastReach;
};

}  // namespace

Markup gate_plot(const gate::Comparison& comparison) { return Plot(comparison).drawing(); }

Markup gate_plot_style() {
  return Literal(R"(.ratios{display:block}
.ratios text{font-size:13px;fill:var(--text)}
.ratios .name{text-anchor:end}
.ratios .axis{text-anchor:middle;fill:var(--dim);font-size:12px}
.ratios .mark{stroke:var(--line);stroke-width:1}
.ratios .zero{stroke:var(--dim);stroke-width:1.5}
.ratios .allowed{stroke:var(--bad);stroke-dasharray:5 4}
.ratios .interval,.ratios path{stroke-width:2;fill:none}
.ratios .good line,.ratios .good path{stroke:var(--object)}.ratios .good circle{fill:var(--object)}
.ratios .bad line,.ratios .bad path{stroke:var(--bad)}.ratios .bad circle{fill:var(--bad)}
.ratios .open line,.ratios .open path{stroke:var(--death)}.ratios .open circle{fill:var(--death)}
)");
}

}  // namespace harness::reports
