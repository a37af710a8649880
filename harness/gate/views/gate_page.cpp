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

std::string head_of(const gate::Comparison& comparison) {
  return fmt::format(
      "<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
      "'none'; style-src 'unsafe-inline'\">\n<title>gate: {}</title>\n<style>{}{}{}</style>\n"
      "</head>\n",
      name_of(comparison.outcome()), page_style(), gate_plot_style(), canary_page_style());
}

std::string header_of(const gate::Comparison& comparison) {
  const bool good = comparison.outcome() == gate::Outcome::passed;
  std::string html = fmt::format(
      "<header>\n<h1 class=\"mono\"><span class=\"path\">afterlife gate</span></h1>\n<p><span "
      "class=\"badge {}\">{}</span></p>\n<p class=\"lead\">{}</p>\n",
      good ? "good" : "bad", name_of(comparison.outcome()), shown_text(summary_of(comparison)));
  if (!comparison.failure.empty())
    html += fmt::format("<p>{}</p>\n", shown_text(comparison.failure));
  return html + "</header>\n";
}

std::string section(std::string_view title, const std::string& inside) {
  return fmt::format(
      "<section>\n<h2>{0}</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{0}\">{1}</div>\n</section>\n",
      title, inside);
}

std::string table_of(const gate::Result& result) {
  std::string html =
      "<table>\n<tr><th>benchmark</th><th>ratio</th><th>99 % interval</th><th>verdict</th>"
      "<th>rounds</th><th>base</th><th>head</th></tr>\n";
  for (const gate::Row& row : result.rows) {
    const Sides sides = sides_of(row);
    html += fmt::format(
        "<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}"
        "</td></tr>\n",
        shown_text(row.name), ratio_of(row), interval_of(row), shown_text(verdict_of(row)),
        row.estimate ? fmt::format("{}", row.estimate->rounds) : "", sides.base, sides.head);
  }
  return html + "</table>";
}

std::string rule_of(const gate::Plan& plan) {
  const auto row = [](std::string_view name, const std::string& value) {
    return fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", name, shown_text(value));
  };
  return "<table class=\"wrap\">\n" + row("base", command_line(plan.base)) +
         row("head", command_line(plan.head)) +
         row("slower", fmt::format("the {:g} % interval is above {:+g} %, twice",
                                   100 * plan.rule.confidence, 100 * plan.rule.slower_by)) +
         row("pass", fmt::format("the interval is below {:+g} %", 100 * plan.rule.allowed)) +
         row("seed", fmt::format("{}", plan.rule.seed)) + "</table>";
}

}  // namespace

std::string gate_page(const gate::Comparison& comparison, const CanaryReport* rates) {
  const std::string plot = gate_plot(comparison);
  return "<!doctype html>\n<html lang=\"en\">\n" + head_of(comparison) + "<body>\n<main>\n" +
         header_of(comparison) + (plot.empty() ? "" : section("Ratios", plot)) +
         section("Benchmarks", table_of(comparison.result)) +
         section("Rule", rule_of(comparison.plan)) +
         (rates == nullptr ? "" : canary_section(*rates)) + "</main>\n</body>\n</html>\n";
}

}  // namespace harness::reports
