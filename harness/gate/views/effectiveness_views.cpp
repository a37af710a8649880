// SPDX-License-Identifier: Apache-2.0
#include "harness/gate/views/effectiveness_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/base/printable.h"
#include "harness/gate/estimate.h"
#include "harness/gate/views/gate_words.h"
#include "harness/report/json_text.h"
#include "harness/report/table.h"

namespace harness::reports {
namespace {

using Json = nlohmann::ordered_json;
using gate::EffectivenessCanary;
using gate::EffectivenessRow;
using gate::Verdict;

constexpr double kTail = 0.005;  ///< Probability on each side of an interval.

bool is_test(const EffectivenessRow& row) {
  return row.verdict != Verdict::added && row.verdict != Verdict::gone;
}

/// Returns the ratio of the head to the base.
double ratio_of(const EffectivenessRow& row) {
  if (row.has_factor) return row.rank.factor();
  return row.base > 0 ? row.head / row.base : 1;
}

double end_of(const EffectivenessRow& row, double sign) {
  return row.rank.factor_at(-sign * gate::normal_quantile(kTail));
}

std::string times(double factor) {
  if (!std::isfinite(factor) || factor >= 1000) return "?";
  return factor < 10 ? fmt::format("x {:.2f}", factor) : fmt::format("x {:.0f}", factor);
}

std::string interval_of(const EffectivenessRow& row) {
  if (!row.has_factor || row.rank.information <= 0) return "";
  return fmt::format("{} .. {}", times(end_of(row, -1)), times(end_of(row, 1)));
}

/// Returns the verdict in words: it concerns counts, not the speed of programs.
std::string_view words_of(Verdict verdict) {
  if (verdict == Verdict::slower) return "worse";
  if (verdict == Verdict::faster) return "better";
  return gate::name_of(verdict);
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json row_json(const EffectivenessRow& row) {
  Json json{{"name", row.name}, {"verdict", words_of(row.verdict)}};
  if (!is_test(row)) return json;
  json["base"] = row.base;
  json["head"] = row.head;
  json["ratio"] = number(ratio_of(row));
  json["p_worse"] = row.rank.p_longer();
  if (!row.has_factor) return json;
  json["low"] = number(end_of(row, -1));
  json["high"] = number(end_of(row, 1));
  json["wanted_searches"] = row.wanted_searches;
  return json;
}

std::string summary_of(const EffectivenessReport& report) {
  std::uint64_t wanted = 0, blind = 0;
  for (const EffectivenessRow& row : report.rows) {
    if (!row.has_factor) continue;
    wanted = std::max(wanted, row.wanted_searches);
    blind += row.verdict == Verdict::undecided;
  }
  std::string text = fmt::format("{} search{} of each variant on a side", report.searches,
                                 report.searches == 1 ? "" : "es");
  if (report.rule.each_window)
    return text + fmt::format("; in {} of {} windows a factor of {} would not be seen\n", blind,
                              report.rows.size(), report.rule.factor);
  return text + fmt::format("; it takes {} to see a factor of {} with {:.0f} %\n", wanted,
                            report.rule.factor, 100 * report.rule.power);
}

std::string_view scope_of(const EffectivenessCanary& canary) {
  return canary.each_window ? "each window" : "all windows";
}

Colour colour_of(gate::Health health) {
  if (health == gate::Health::red) return Colour::red;
  return health == gate::Health::shown ? Colour::green : Colour::dim;
}

/// The searches of one window of a variant.
struct WindowTimes {
  std::vector<double> runs;  ///< Ascending, for searches that found something.
  std::size_t searches = 0;
  double minimizer_runs = 0, size = 0, minimized = 0;  ///< Sums over its searches.
};

WindowTimes times_of(const std::vector<gate::SearchSample>& searches, const std::string& window) {
  WindowTimes all;
  all.searches = searches.size();
  for (const gate::SearchSample& search : searches) {
    const gate::FirstFault& first = search.windows.at(window);
    if (first.run > 0) all.runs.push_back(static_cast<double>(first.run));
    if (!first.minimized) continue;
    all.minimizer_runs += static_cast<double>(first.minimized->runs);
    all.size += static_cast<double>(first.minimized->size);
    ++all.minimized;
  }
  std::sort(all.runs.begin(), all.runs.end());
  return all;
}

std::vector<Cell> cells_of(const std::string& variant, const std::string& window,
                           const WindowTimes& all) {
  const auto mean = [&](double sum) {
    return all.minimized > 0 ? fmt::format("{:.0f}", sum / all.minimized) : "";
  };
  const std::string median =
      all.runs.empty() ? "" : fmt::format("{:.0f}", gate::quantile(all.runs, 0.5));
  return {{variant},
          {window},
          {fmt::format("{} of {}", all.runs.size(), all.searches)},
          {median},
          {mean(all.minimizer_runs)},
          {mean(all.size)}};
}

}  // namespace

bool EffectivenessReport::has(Verdict verdict) const {
  return std::ranges::any_of(rows, [&](const auto& row) { return row.verdict == verdict; });
}

std::string searches_table(const gate::SideSample& side, const Terminal& terminal) {
  Table table({{"variant", Align::left, true},
               {"window"},
               {"found", Align::right},
               {"runs, median", Align::right},
               {"minimizer runs", Align::right},
               {"size", Align::right}});
  for (const auto& [variant, searches] : side.variants)
    for (const auto& [window, first] : searches.front().windows)
      table.add(cells_of(variant, window, times_of(searches, window)));
  return table.to_string(terminal);
}

std::string effectiveness_table(const EffectivenessReport& report, const Terminal& terminal) {
  Table table({{"measure", Align::left, true},
               {"base", Align::right},
               {"head", Align::right},
               {"head is", Align::right},
               {"99 % interval", Align::right},
               {"chance", Align::right},
               {"verdict"}});
  for (const EffectivenessRow& row : report.rows) {
    const bool tested = is_test(row);
    table.add({{shown(row.name)},
               {tested ? value_in_words(row.base) : ""},
               {tested ? value_in_words(row.head) : ""},
               {tested ? times(ratio_of(row)) : ""},
               {tested ? interval_of(row) : ""},
               {tested ? fmt::format("{:.2g}", row.rank.p_longer()) : ""},
               {std::string(words_of(row.verdict)), reports::colour_of(row.verdict)}});
  }
  return table.to_string(terminal) + summary_of(report);
}

std::string effectiveness_json(const EffectivenessReport& report) {
  Json rows = Json::array();
  for (const EffectivenessRow& row : report.rows) rows.push_back(row_json(row));
  return to_text({{"schema", 1},
                  {"searches", report.searches},
                  {"level", report.rule.level},
                  {"power", report.rule.power},
                  {"factor", report.rule.factor},
                  {"each_window", report.rule.each_window},
                  {"tests", rows}});
}

std::string effectiveness_canary_table(const std::vector<EffectivenessCanary>& canaries,
                                       const Terminal& terminal) {
  Table table({{"program"},
               {"compared"},
               {"searches", Align::right},
               {"called worse", Align::right},
               {"interval", Align::right},
               {""}});
  for (const EffectivenessCanary& canary : canaries)
    table.add({{shown(canary.program)},
               {std::string(scope_of(canary))},
               {grouped(canary.searches)},
               {fmt::format("{} of {}", canary.red.count, canary.red.total)},
               {fmt::format("{:.1f} to {:.1f} %", 100 * canary.red.low(), 100 * canary.red.high())},
               {std::string(gate::name_of(canary.health)), colour_of(canary.health)}});
  return table.to_string(terminal);
}

std::string effectiveness_canary_json(const std::vector<EffectivenessCanary>& canaries) {
  Json rows = Json::array();
  bool is_red = false;
  for (const EffectivenessCanary& canary : canaries) {
    is_red = is_red || canary.health == gate::Health::red;
    rows.push_back({{"program", canary.program},
                    {"compared", scope_of(canary)},
                    {"is_false_alarm", canary.is_false_alarm},
                    {"searches", canary.searches},
                    {"called_worse",
                     {{"count", canary.red.count},
                      {"total", canary.red.total},
                      {"low", canary.red.low()},
                      {"high", canary.red.high()}}},
                    {"health", gate::name_of(canary.health)}});
  }
  return to_text({{"schema", 1}, {"is_red", is_red}, {"canaries", rows}});
}

}  // namespace harness::reports
