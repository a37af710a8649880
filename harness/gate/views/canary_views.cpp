// SPDX-License-Identifier: Apache-2.0
#include "harness/gate/views/canary_views.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/printable.h"
#include "harness/report/json_text.h"
#include "harness/report/table.h"

namespace harness::reports {
namespace {

using Json = nlohmann::ordered_json;
using gate::Health;

std::string words_of(const gate::Rate& rate) {
  return fmt::format("{} of {}", rate.count, rate.total);
}

std::string interval_of(const gate::Rate& rate) {
  return fmt::format("{:.1f} to {:.1f} %", 100 * rate.low(), 100 * rate.high());
}

Colour colour_of(Health health) {
  if (health == Health::red) return Colour::red;
  return health == Health::shown ? Colour::green : Colour::dim;
}

Json rate_json(const gate::Rate& rate) {
  return {{"count", rate.count}, {"total", rate.total}, {"low", rate.low()}, {"high", rate.high()}};
}

}  // namespace

std::string words_of(const gate::PlantedRow& row) {
  if (row.is_seen) return "red, as it must be";
  return row.had_enough ? "not seen: this self-test shows nothing" : "too few samples to see it";
}

gate::Curtailing CanaryReport::curtailing() const {
  gate::Curtailing sum;
  for (const gate::CanaryRow& row : rows)
    for (gate::Rate gate::Curtailing::* rate :
         {&gate::Curtailing::saved, &gate::Curtailing::lost}) {
      (sum.*rate).count += (row.curtailing.*rate).count;
      (sum.*rate).total += (row.curtailing.*rate).total;
    }
  return sum;
}

bool CanaryReport::is_red() const {
  const auto red = [](const auto& row) { return row.health == Health::red; };
  return curtailing().lost.low() > gate::kLostAtMost || std::ranges::any_of(rows, red) ||
         std::ranges::any_of(searches, red) || std::ranges::any_of(plants, [](const auto& row) {
           return row.had_enough && !row.is_seen;
         });
}

std::string canary_table(const CanaryReport& report, const Terminal& terminal) {
  Table table({{"load"},
               {"canary"},
               {"trials", Align::right},
               {"called slower", Align::right},
               {"interval", Align::right},
               {"ranks alone", Align::right},
               {""}});
  for (const gate::CanaryRow& row : report.rows)
    table.add({{shown(row.load)},
               {std::string(name_of(row.canary))},
               {grouped(row.trials)},
               {words_of(row.found)},
               {interval_of(row.found)},
               {words_of(row.mann_whitney)},
               {std::string(name_of(row.health)), colour_of(row.health)}});
  std::string text = table.to_string(terminal);
  for (const gate::PlantedRow& row : report.plants)
    text += fmt::format("a gate with a broken {}: {}\n", name_of(row.planted), words_of(row));
  const gate::Curtailing curtailing = report.curtailing();
  text += fmt::format("given up as futile: {} rounds saved, {} verdicts lost\n",
                      words_of(curtailing.saved), words_of(curtailing.lost));
  return text;
}

std::string canary_json(const CanaryReport& report) {
  Json rows = Json::array(), plants = Json::array();
  for (const gate::CanaryRow& row : report.rows)
    rows.push_back({{"load", row.load},
                    {"canary", name_of(row.canary)},
                    {"is_false_alarm", is_false_alarm(row.canary)},
                    {"trials", row.trials},
                    {"called_slower", rate_json(row.found)},
                    {"mann_whitney", rate_json(row.mann_whitney)},
                    {"health", name_of(row.health)}});
  for (const gate::PlantedRow& row : report.plants)
    plants.push_back({{"broken", name_of(row.planted)},
                      {"is_seen", row.is_seen},
                      {"had_enough", row.had_enough}});
  const gate::Curtailing curtailing = report.curtailing();
  return to_text({{"schema", 1},
                  {"is_red", report.is_red()},
                  {"canaries", rows},
                  {"broken_gates", plants},
                  {"rounds_saved", rate_json(curtailing.saved)},
                  {"verdicts_lost", rate_json(curtailing.lost)}});
}

}  // namespace harness::reports
