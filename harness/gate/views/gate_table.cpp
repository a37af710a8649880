// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "harness/base/printable.h"
#include "harness/gate/views/gate_views.h"
#include "harness/gate/views/gate_words.h"
#include "harness/report/table.h"

namespace harness::reports {

std::string gate_table(const gate::Comparison& comparison, const Terminal& terminal) {
  Table table({{"benchmark", Align::left, true},
               {.title = "base", .align = Align::right, .with_next = true},
               {"head", Align::right},
               {"ratio", Align::right},
               {"99 % interval", Align::right},
               {"verdict"},
               {"rounds", Align::right}});
  for (const gate::Row& row : comparison.result.rows) {
    const Sides sides = sides_of(row);
    table.add({{shown(row.name)},
               {sides.base},
               {sides.head},
               {ratio_of(row)},
               {interval_of(row)},
               {verdict_of(row), colour_of(row.verdict)},
               {row.estimate ? fmt::format("{}", row.estimate->rounds) : ""}});
  }
  Terminal wide = terminal;
  if (!terminal.cuts) wide.width = std::max(terminal.width, table.width());
  const gate::Outcome outcome = comparison.outcome();
  const Colour colour = outcome == gate::Outcome::passed      ? Colour::green
                        : outcome == gate::Outcome::regressed ? Colour::red
                                                              : Colour::yellow;
  const std::string advice = advice_of(comparison);
  return (table.empty() ? "" : table.to_string(wide) + "\n") +
         terminal.paint(colour, fmt::format("{}: {}", name_of(outcome), summary_of(comparison))) +
         (advice.empty() ? "" : "\n" + advice) + "\n";
}

}  // namespace harness::reports
