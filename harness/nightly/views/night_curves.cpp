// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/views/night_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "harness/report/terminal.h"

namespace harness::reports {
namespace {

using nightly::PastNight;

constexpr std::size_t kMostNights = 60;
constexpr double kWidth = 340, kHeight = 130, kTop = 26, kBottom = 22;

/// One number per night.
struct Series {
  std::string_view title;
  std::string_view kind;  ///< Determines the colour: "good", "bad" or "plain".
  std::vector<double> values;
};

class Chart {
 public:
  Chart(const Series& series, const std::vector<PastNight>& past)
      : series_(series),
        past_(past),
        most_(std::max(1.0, *std::max_element(series.values.begin(), series.values.end()))),
        step_(kWidth / static_cast<double>(past.size())) {}

  Markup drawing() const {
    Markup svg = Markup::of(
        "<svg class=\"curve {0}\" viewBox=\"0 0 {1:.0f} {2:.0f}\" width=\"{1:.0f}\" "
        "height=\"{2:.0f}\" role=\"img\" aria-label=\"{3} per night\">\n<text x=\"0\" "
        "y=\"14\">{3}: {4}</text>\n",
        series_.kind, kWidth, kHeight, series_.title, in_words(series_.values.back()));
    for (std::size_t i = 0; i < past_.size(); ++i) svg += bar(i);
    svg += Markup::of(
        "<line class=\"ground\" x1=\"0\" x2=\"{0:.0f}\" y1=\"{1:.0f}\" y2=\"{1:.0f}\"/>\n", kWidth,
        kHeight - kBottom);
    return svg + Markup::of(
                     "<text class=\"axis\" x=\"0\" y=\"{0:.0f}\">night {1}</text><text "
                     "class=\"axis end\" "
                     "x=\"{2:.0f}\" y=\"{0:.0f}\">{3}</text>\n</svg>\n",
                     kHeight - 6, past_.front().number, kWidth, past_.back().number);
  }

 private:
  static std::string in_words(double value) {
    return grouped(static_cast<std::uint64_t>(std::llround(value)));
  }

  Markup bar(std::size_t index) const {
    const double value = series_.values[index];
    const double height = (kHeight - kTop - kBottom) * value / most_;
    return Markup::of(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"><title>night {}: "
        "{}</title></rect>\n",
        step_ * static_cast<double>(index), kHeight - kBottom - height, std::max(1.0, step_ - 2),
        height, past_[index].number, in_words(value));
  }

  const Series& series_;
  const std::vector<PastNight>& past_;
  double most_;
  double step_;
};

/// Returns the series by night. Known findings are counted over all nights.
std::vector<Series> series_of(const std::vector<PastNight>& past, std::size_t first) {
  Series known{"findings in all", "plain", {}}, news{"new findings", "bad", {}},
      missed{"canaries missed", "bad", {}}, speed{"runs a second", "good", {}};
  double in_all = 0;
  for (std::size_t i = 0; i < past.size(); ++i) {
    const PastNight& night = past[i];
    in_all += static_cast<double>(night.new_findings);
    if (i < first) continue;
    known.values.push_back(in_all);
    news.values.push_back(static_cast<double>(night.new_findings));
    missed.values.push_back(static_cast<double>(night.missed_canaries));
    speed.values.push_back(night.seconds > 0 ? static_cast<double>(night.runs) / night.seconds : 0);
  }
  return {known, news, missed, speed};
}

}  // namespace

Markup night_curves(const std::vector<PastNight>& past) {
  if (past.size() < 2) return {};
  const std::size_t first = past.size() - std::min(past.size(), kMostNights);
  const std::vector<PastNight> shown(past.begin() + static_cast<std::ptrdiff_t>(first), past.end());
  Markup html;
  for (const Series& series : series_of(past, first)) html += Chart(series, shown).drawing();
  return html;
}

Markup night_curves_style() {
  return Literal(R"(.curves{display:flex;flex-wrap:wrap;gap:18px}
.curve{max-width:100%;height:auto}
.curve text{font-size:13px;fill:var(--text)}
.curve .axis{fill:var(--dim);font-size:12px}.curve .end{text-anchor:end}
.curve .ground{stroke:var(--line)}
.curve.plain rect{fill:var(--task)}.curve.bad rect{fill:var(--bad)}.curve.good rect{fill:var(--object)}
)");
}

}  // namespace harness::reports
