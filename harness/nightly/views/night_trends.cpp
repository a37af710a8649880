// SPDX-License-Identifier: Apache-2.0
// How it works. A curve has a point per night, and a line at the median of each segment between two
// change points. All series of whole nights are drawn, and those variants that changed last.
#include "harness/nightly/views/night_trends.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <tuple>
#include <vector>

#include "harness/base/printable.h"
#include "harness/nightly/views/night_sections.h"
#include "harness/report/html.h"
#include "harness/report/terminal.h"

namespace harness::reports {
namespace {

using nightly::ChangePoint;
using nightly::Trend;

/// With fewer nights, a series is drawn only if it changed.
constexpr std::size_t kLeastNights = 10;
constexpr std::size_t kMostVariants = 24;
constexpr double kWidth = 520, kHeight = 150, kTop = 28, kBottom = 24, kSide = 6;

/// Returns "12 345", or "0.25" for small numbers.
std::string in_words(double value) {
  return value < 100 ? fmt::format("{:.3g}", value)
                     : grouped(static_cast<std::uint64_t>(std::llround(value)));
}

std::string title_of(const Trend& trend) {
  static constexpr std::array<std::string_view, 4> kUnits{"runs a second", "runs", "bytes at most",
                                                          "instructions a run"};
  return fmt::format("{}, {}", trend.name() == "all" ? "all variants" : trend.name(),
                     kUnits[raw(trend.quantity)]);
}

class Drawing {
 public:
  explicit Drawing(const Trend& trend) : trend_(trend) {
    const auto [least, most] = std::ranges::minmax(trend.points, {}, &nightly::TrendPoint::value);
    const double margin = std::max((most.value - least.value) * 0.1, most.value * 0.005);
    low_ = least.value - margin;
    high_ = most.value + margin;
  }

  Markup drawing() const {
    const auto& points = trend_.points;
    Markup svg = Markup::of(
        "<svg class=\"trend\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" role=\"img\" aria-label=\"{2} per night\">\n<text x=\"0\" "
        "y=\"14\">{2}: {3}</text>\n",
        kWidth, kHeight, title_of(trend_), in_words(points.back().value));
    for (const ChangePoint& change : trend_.changes) svg += mark(change);
    svg += medians();
    for (std::size_t i = 0; i < points.size(); ++i) svg += dot(i);
    return svg +
           Markup::of(
               "<text class=\"axis\" x=\"0\" y=\"{0:.0f}\">night {1}</text><text class=\"axis "
               "end\" x=\"{2:.0f}\" y=\"{0:.0f}\">{3}</text>\n</svg>\n",
               kHeight - 6, points.front().number, kWidth, points.back().number);
  }

 private:
  double x(double index) const {
    const auto last = static_cast<double>(trend_.points.size() - 1);
    return kSide + (kWidth - 2 * kSide) * index / last;
  }
  double y(double value) const {
    return kTop + (kHeight - kTop - kBottom) * (high_ - value) / (high_ - low_);
  }

  Markup dot(std::size_t index) const {
    const nightly::TrendPoint& point = trend_.points[index];
    return Markup::of(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\"><title>night {}, {}: {}</title></circle>\n",
        x(static_cast<double>(index)), y(point.value), point.number,
        point.revision.empty() ? "revision unknown" : shown(point.revision), in_words(point.value));
  }

  /// Draws a line between the last night before a change and the first one after it.
  Markup mark(const ChangePoint& change) const {
    return Markup::of(
        "<line class=\"change {0}\" x1=\"{2:.1f}\" x2=\"{2:.1f}\" y1=\"{3:.0f}\" "
        "y2=\"{4:.0f}\"><title>{1}</title></line>\n",
        trend_.is_worse(change) ? "worse" : "better", change_in_words(trend_, change),
        x(static_cast<double>(change.index) - 0.5), kTop, kHeight - kBottom);
  }

  Markup medians() const {
    Markup svg;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= trend_.changes.size(); ++i) {
      const std::size_t end =
          i < trend_.changes.size() ? trend_.changes[i].index : trend_.points.size();
      std::vector<double> values;
      for (std::size_t k = begin; k < end; ++k) values.push_back(trend_.points[k].value);
      svg += Markup::of(
          "<line class=\"level\" x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>\n",
          x(static_cast<double>(begin)), x(static_cast<double>(end - 1)),
          y(nightly::median_of(values)));
      begin = end;
    }
    return svg;
  }

  const Trend& trend_;
  double low_ = 0, high_ = 1;
};

Markup figure_of(const Trend& trend) {
  Markup html = "<div>\n" + Drawing(trend).drawing();
  for (const ChangePoint& change : trend.changes)
    html += Markup::of("<p class=\"{}\">{}</p>\n", trend.is_worse(change) ? "open" : "dim",
                       change_in_words(trend, change));
  return html + "</div>\n";
}

/// Returns the series to draw: of whole nights, then of variants that changed, the latest first.
std::vector<const Trend*> drawn(const nightly::Night& night) {
  std::vector<const Trend*> whole, changed;
  for (const Trend& trend : night.trends) {
    if (trend.path.empty())
      whole.push_back(&trend);
    else if (!trend.changes.empty())
      changed.push_back(&trend);
  }
  const auto key = [](const Trend* trend) {
    return std::tuple(~trend->points[trend->changes.back().index].number, trend->name(),
                      trend->quantity);
  };
  std::ranges::sort(changed, std::less(), key);
  changed.resize(std::min(changed.size(), kMostVariants));
  whole.insert(whole.end(), changed.begin(), changed.end());
  return whole;
}

}  // namespace

std::string change_in_words(const Trend& trend, const ChangePoint& change) {
  const nightly::TrendPoint& point = trend.points[change.index];
  return fmt::format("{} of {}: {:+.2f} % since night {} ({})", to_text(trend.quantity),
                     trend.name(), 100 * (change.ratio - 1), point.number,
                     point.revision.empty() ? "revision unknown" : shown(point.revision));
}

Markup trends_section(const nightly::Night& night) {
  const std::vector<const Trend*> trends = drawn(night);
  const bool has_changed = std::any_of(trends.begin(), trends.end(),
                                       [](const Trend* trend) { return !trend->changes.empty(); });
  if (trends.empty() || (night.past.size() < kLeastNights && !has_changed)) return {};
  Markup figures = Literal("<div class=\"curves\">\n");
  for (const Trend* trend : trends) figures += figure_of(*trend);
  return night_section(
      "Trend",
      fmt::format("Lasting changes of a series; of {} series, one in a thousand changes "
                  "by chance. Nights on machines of another class are left out.",
                  grouped(night.trends.size())),
      figures + "</div>\n");
}

Markup trends_style() {
  return Literal(R"(.trend{max-width:100%;height:auto}
.trend text{font-size:13px;fill:var(--text)}
.trend .axis{fill:var(--dim);font-size:12px}.trend .end{text-anchor:end}
.trend circle{fill:var(--object)}
.trend .level{stroke:var(--dim);stroke-width:1.5}
.trend .change{stroke-width:2;stroke-dasharray:4 3}
.trend .worse{stroke:var(--bad)}.trend .better{stroke:var(--task)}
)");
}

}  // namespace harness::reports
