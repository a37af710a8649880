// SPDX-License-Identifier: Apache-2.0
#include "harness/gate/views/calibration_views.h"

#include <fmt/format.h>

#include "harness/report/json_text.h"
#include "harness/report/table.h"

namespace harness::reports {
namespace {

using Json = nlohmann::ordered_json;
using gate::Canary;
using gate::CanaryRow;
using gate::Rate;

/// Returns whether a canary says something about the command: the others are about the gate.
bool is_about_command(const CanaryRow& row) {
  return row.canary == Canary::unchanged || row.canary == Canary::slower_by_1 ||
         row.canary == Canary::slower_by_3;
}

std::string words_of(const Rate& rate) {
  return fmt::format("{:.1f} % ({:.1f} to {:.1f})", 100 * rate.share(), 100 * rate.low(),
                     100 * rate.high());
}

Json rate_json(const Rate& rate) {
  return {{"count", rate.count}, {"total", rate.total}, {"low", rate.low()}, {"high", rate.high()}};
}

}  // namespace

std::string calibration_table(const CanaryReport& report, std::size_t rounds,
                              const Terminal& terminal) {
  Table table({{"planted"},
               {"comparisons", Align::right},
               {"called slower", Align::right},
               {"by the U test", Align::right},
               {"by means", Align::right}});
  for (const CanaryRow& row : report.rows)
    if (is_about_command(row))
      table.add({{row.canary == Canary::unchanged ? "nothing" : std::string(name_of(row.canary))},
                 {grouped(row.trials)},
                 {words_of(row.found)},
                 {words_of(row.mann_whitney)},
                 {words_of(row.means)}});
  return table.to_string(terminal) +
         fmt::format(
             "{} rounds; in brackets the 95 % confidence interval of the share. The first row "
             "counts false alarms, in comparisons; the others count benchmarks that were found. "
             "The two simpler rules judge the first 20 rounds at 5 %.\n",
             grouped(rounds));
}

std::string calibration_json(const CanaryReport& report, std::size_t rounds) {
  Json rows = Json::array();
  for (const CanaryRow& row : report.rows)
    if (is_about_command(row))
      rows.push_back({{"planted", name_of(row.canary)},
                      {"is_false_alarm", is_false_alarm(row.canary)},
                      {"comparisons", row.trials},
                      {"called_slower", rate_json(row.found)},
                      {"mann_whitney", rate_json(row.mann_whitney)},
                      {"means", rate_json(row.means)}});
  return to_text({{"schema", 1}, {"rounds", rounds}, {"is_red", report.is_red()}, {"rows", rows}});
}

}  // namespace harness::reports
