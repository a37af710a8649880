#include <fmt/format.h>

#include "harness/printable.h"
#include "harness/reports/gate/gate_views.h"
#include "harness/reports/gate/gate_words.h"
#include "harness/reports/table.h"

namespace harness::reports {

std::string gate_table(const gate::Comparison& comparison, const Terminal& terminal) {
  Table table({{"benchmark", Align::left, true},
               {"ratio", Align::right},
               {"99 % interval", Align::right},
               {"verdict"},
               {"rounds", Align::right},
               {"base", Align::right},
               {"head", Align::right}});
  for (const gate::Row& row : comparison.result.rows)
    table.add({{shown(row.name)},
               {ratio_of(row)},
               {interval_of(row)},
               {verdict_of(row), colour_of(row.verdict)},
               {row.estimate ? fmt::format("{}", row.estimate->rounds) : ""},
               {value_in_words(row.base)},
               {value_in_words(row.head)}});
  const gate::Outcome outcome = comparison.outcome();
  const Colour colour = outcome == gate::Outcome::passed      ? Colour::green
                        : outcome == gate::Outcome::regressed ? Colour::red
                                                              : Colour::yellow;
  return (table.empty() ? "" : table.to_string(terminal) + "\n") +
         terminal.paint(colour, fmt::format("{}: {}", name_of(outcome), summary_of(comparison))) +
         "\n";
}

}  // namespace harness::reports
