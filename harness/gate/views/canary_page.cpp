// SPDX-License-Identifier: Apache-2.0
// How it works. The interval of each row is drawn as a bar from 0 to 100 %, with a line at the
// promised rate: the whole interval of false alarms must be below 1 %, and some of the interval of
// the power must reach 95 %.
#include "harness/gate/views/canary_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/report/html.h"
#include "harness/report/page_style.h"

namespace harness::reports {
namespace {

using gate::Health;
using gate::Rate;

constexpr double kWidth = 220, kHeight = 14;

Markup bar_of(const Rate& rate, bool is_false_alarm) {
  const double limit = is_false_alarm ? 0.01 : 0.95;
  return Markup::of(
      "<svg class=\"rate\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "role=\"img\" aria-label=\"{2:.1f} to {3:.1f} %\"><rect class=\"ground\" x=\"0\" y=\"0\" "
      "width=\"{0:.0f}\" height=\"{1:.0f}\"/><rect x=\"{4:.1f}\" y=\"3\" width=\"{5:.1f}\" "
      "height=\"8\"/><line x1=\"{6:.1f}\" x2=\"{6:.1f}\" y1=\"0\" y2=\"{1:.0f}\"/></svg>",
      kWidth, kHeight, 100 * rate.low(), 100 * rate.high(), kWidth * rate.low(),
      kWidth * (rate.high() - rate.low()), kWidth * limit);
}

std::string_view class_of(Health health) {
  if (health == Health::red) return "open";
  return health == Health::shown ? "" : "dim";
}

Markup row_of(const std::string& of, const std::string& canary, bool is_false_alarm,
              const Rate& rate, Health health) {
  return Markup::of(
      "<tr><td>{}</td><td>{}</td><td>{}</td><td>{} of {}</td><td>{:.1f} to {:.1f} %</td><td>{}"
      "</td><td class=\"{}\">{}</td></tr>\n",
      of, canary, is_false_alarm ? "false alarm" : "power", rate.count, rate.total,
      100 * rate.low(), 100 * rate.high(), bar_of(rate, is_false_alarm), class_of(health),
      name_of(health));
}

Markup table_of(const CanaryReport& report) {
  Markup html = Literal(
      "<table>\n<tr><th>load of the machine</th><th>canary</th><th>counts as</th><th>called "
      "slower</th><th>95 % interval</th><th>0 to 100 %</th><th></th></tr>\n");
  for (const gate::CanaryRow& row : report.rows)
    html += row_of(row.load, std::string(name_of(row.canary)), is_false_alarm(row.canary),
                   row.found, row.health);
  for (const gate::EffectivenessCanary& row : report.searches)
    html += row_of(row.each_window ? "searches, each window" : "searches, all windows", row.program,
                   row.is_false_alarm, row.red, row.health);
  return html + "</table>";
}

Markup plants_of(const CanaryReport& report) {
  Markup html;
  for (const gate::PlantedRow& row : report.plants)
    html += Markup::of("<p class=\"{}\">a gate with a broken {}: {}</p>\n",
                       row.had_enough && !row.is_seen ? "open" : "dim", name_of(row.planted),
                       words_of(row));
  return html;
}

/// Returns whether all rows with a promise keep it.
bool is_shown(const CanaryReport& report) {
  const auto fine = [](const auto& row) {
    return row.health == Health::shown || row.health == Health::reported;
  };
  return std::ranges::all_of(report.rows, fine) && std::ranges::all_of(report.searches, fine);
}

std::string_view badge_of(const CanaryReport& report) {
  if (report.is_red()) return "red";
  return is_shown(report) ? "shown" : "too few samples";
}

}  // namespace

Markup canary_section(const CanaryReport& report) {
  constexpr std::string_view kTitle = "How often this gate is wrong";
  return Markup::of(
      "<section>\n<h2>{}</h2>\n<p><span class=\"badge {}\">{}</span></p>\n<p "
      "class=\"dim\">Programs whose answer is known. Red if the interval is above 1 % of false "
      "alarms, or below a power of 95 %; shown if it is within 2 % and 90 %; too few samples "
      "before "
      "that.</p>\n{}\n{}</section>\n",
      kTitle, report.is_red() ? "bad" : "good", badge_of(report),
      scrolling(kTitle, table_of(report)), plants_of(report));
}

std::string canary_page(const CanaryReport& report) {
  return whole_page(fmt::format("gate: {}", badge_of(report)), page_style() + canary_page_style(),
                    "<header>\n<h1 class=\"mono\"><span class=\"path\">afterlife gate</span></h1>\n"
                    "</header>\n" +
                        canary_section(report))
      .text();
}

Markup canary_page_style() {
  return Literal(R"(.open{color:var(--bad);font-weight:600}
.rate rect{fill:var(--object)}.rate .ground{fill:var(--line)}
.rate line{stroke:var(--bad);stroke-width:2}
)");
}

}  // namespace harness::reports
