#include <fmt/format.h>

#include "harness/printable.h"
#include "harness/reports/gate/gate_views.h"
#include "harness/reports/gate/gate_words.h"
#include "harness/reports/html.h"

namespace harness::reports {
namespace {

/// Returns text that is no markup of Markdown, and stays in its cell.
std::string cell(std::string_view text) {
  std::string safe;
  for (const char c : escaped(printable(text))) {
    if (std::string_view("\\`*_[]|~").find(c) != std::string_view::npos) safe += '\\';
    safe += c;
  }
  return safe;
}

std::string row_of(const gate::Row& row) {
  const bool red = colour_of(row.verdict) == Colour::red;
  const std::string verdict = cell(verdict_of(row));
  return fmt::format("| {} | {} | {} | {} |\n", cell(row.name), ratio_of(row), interval_of(row),
                     red ? "**" + verdict + "**" : verdict);
}

}  // namespace

std::string gate_markdown(const gate::Comparison& comparison) {
  std::string text =
      fmt::format("**{}**: {}\n", name_of(comparison.outcome()), cell(summary_of(comparison)));
  if (!comparison.failure.empty()) text += fmt::format("\n{}\n", cell(comparison.failure));
  if (comparison.result.rows.empty()) return text;
  text += "\n| benchmark | ratio | 99 % interval | verdict |\n|---|--:|--:|---|\n";
  for (const gate::Row& row : comparison.result.rows) text += row_of(row);
  return text;
}

}  // namespace harness::reports
