// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/gate/views/gate_views.h"
#include "harness/gate/views/gate_words.h"
#include "harness/report/json_text.h"

namespace harness::reports {
namespace {

using Json = nlohmann::ordered_json;

/// Returns null for infinities and NaN, which JSON does not have.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json ratio(double log_ratio) { return number(std::exp(log_ratio)); }

Json row_json(const gate::Row& row) {
  Json object{{"name", row.name}, {"verdict", gate::name_of(row.verdict)}};
  for (const char* key : {"ratio", "low", "high", "noise_floor", "rounds", "statistic"})
    object[key] = nullptr;
  if (row.estimate) {
    object["ratio"] = ratio(row.estimate->log_ratio);
    object["low"] = ratio(row.estimate->low);
    object["high"] = ratio(row.estimate->high);
    object["noise_floor"] = number(std::expm1(row.estimate->noise_floor()));
    object["rounds"] = row.estimate->rounds;
    object["statistic"] =
        row.estimate->statistic == gate::Statistic::low_quantile ? "low_quantile" : "paired_median";
  }
  object["base"] = row.base > 0 ? Json(row.base) : Json(nullptr);
  object["head"] = row.head > 0 ? Json(row.head) : Json(nullptr);
  object["given_up"] = row.is_given_up;
  object["unconfirmed"] = row.unconfirmed ? ratio(row.unconfirmed->log_ratio) : Json(nullptr);
  return object;
}

}  // namespace

std::string gate_json(const gate::Comparison& comparison) {
  const gate::Plan& plan = comparison.plan;
  const gate::Rule& rule = plan.rule;
  Json rows = Json::array();
  for (const gate::Row& row : comparison.result.rows) rows.push_back(row_json(row));
  Json failure = nullptr;
  if (!comparison.failure.empty()) failure = comparison.failure;
  return to_text({{"schema", 1},
                  {"outcome", name_of(comparison.outcome())},
                  {"end", gate::name_of(comparison.result.end)},
                  {"failure", failure},
                  {"rounds", comparison.result.rounds},
                  {"not_computed", comparison.result.uncomputed},
                  {"repetition_seconds",
                   has_min_time_place(plan) ? Json(plan.repetition_seconds) : Json(nullptr)},
                  {"rule",
                   {{"slower_by", rule.slower_by},
                    {"allowed", rule.allowed},
                    {"confidence", rule.confidence},
                    {"looks", rule.looks},
                    {"confirmations", rule.confirmations},
                    {"seed", rule.seed}}},
                  {"benchmarks", rows}});
}

}  // namespace harness::reports
