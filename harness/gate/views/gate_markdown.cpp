// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "harness/gate/views/gate_views.h"
#include "harness/gate/views/gate_words.h"
#include "harness/report/markdown.h"

namespace harness::reports {
namespace {

std::string row_of(const gate::Row& row) {
  const bool red = colour_of(row.verdict) == Colour::red;
  const std::string verdict = markdown_cell(verdict_of(row));
  const Sides sides = sides_of(row);
  return fmt::format("| {} | {} | {} | {} | {} | {} |\n", markdown_cell(row.name), sides.base,
                     sides.head, ratio_of(row), interval_of(row),
                     red ? "**" + verdict + "**" : verdict);
}

}  // namespace

std::string gate_markdown(const gate::Comparison& comparison) {
  std::string text = fmt::format("**{}**: {}\n", name_of(comparison.outcome()),
                                 markdown_cell(summary_of(comparison)));
  if (!comparison.failure.empty()) text += fmt::format("\n{}\n", markdown_cell(comparison.failure));
  if (comparison.result.rows.empty()) return text;
  text +=
      "\n| benchmark | base | head | ratio | 99 % interval | verdict "
      "|\n|---|--:|--:|--:|--:|---|\n";
  for (const gate::Row& row : comparison.result.rows) text += row_of(row);
  return text;
}

}  // namespace harness::reports
