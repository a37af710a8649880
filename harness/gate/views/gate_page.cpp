// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "harness/gate/views/canary_page.h"
#include "harness/gate/views/gate_plot.h"
#include "harness/gate/views/gate_views.h"
#include "harness/gate/views/gate_words.h"
#include "harness/report/html.h"
#include "harness/report/page_style.h"

namespace harness::reports {
namespace {

Markup header_of(const gate::Comparison& comparison) {
  const bool good = comparison.outcome() == gate::Outcome::passed;
  Markup html = Markup::of(
      "<header>\n<h1 class=\"mono\"><span class=\"path\">afterlife gate</span></h1>\n<p><span "
      "class=\"badge {}\">{}</span></p>\n<p class=\"lead\">{}</p>\n",
      good ? "good" : "bad", name_of(comparison.outcome()), summary_of(comparison));
  if (!comparison.failure.empty()) html += Markup::of("<p>{}</p>\n", comparison.failure);
  return html + "</header>\n";
}

Markup table_of(const gate::Result& result) {
  Markup html = Literal(
      "<table>\n<tr><th>benchmark</th><th>ratio</th><th>99 % interval</th><th>verdict</th>"
      "<th>rounds</th><th>base</th><th>head</th></tr>\n");
  for (const gate::Row& row : result.rows) {
    const Sides sides = sides_of(row);
    html += Markup::of(
        "<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}"
        "</td></tr>\n",
        row.name, ratio_of(row), interval_of(row), verdict_of(row),
        row.estimate ? fmt::format("{}", row.estimate->rounds) : "", sides.base, sides.head);
  }
  return html + "</table>";
}

Markup rule_of(const gate::Plan& plan) {
  return "<table class=\"wrap\">\n" + table_row("base", command_line(plan.base)) +
         table_row("head", command_line(plan.head)) +
         table_row("slower", fmt::format("the {:g} % interval is above {:+g} %, twice",
                                         100 * plan.rule.confidence, 100 * plan.rule.slower_by)) +
         table_row("pass", fmt::format("the interval is below {:+g} %", 100 * plan.rule.allowed)) +
         table_row("seed", fmt::format("{}", plan.rule.seed)) + "</table>";
}

}  // namespace

std::string gate_page(const gate::Comparison& comparison, const CanaryReport* rates) {
  const Markup plot = gate_plot(comparison);
  return whole_page(fmt::format("gate: {}", name_of(comparison.outcome())),
                    page_style() + gate_plot_style() + canary_page_style(),
                    header_of(comparison) + (plot.empty() ? Markup() : section("Ratios", plot)) +
                        section("Benchmarks", table_of(comparison.result)) +
                        section("Rule", rule_of(comparison.plan)) +
                        (rates == nullptr ? Markup() : canary_section(*rates)))
      .text();
}

}  // namespace harness::reports
