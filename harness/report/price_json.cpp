// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "harness/report/json_text.h"
#include "harness/report/price_views.h"

namespace harness::reports {
namespace {

using Json = nlohmann::ordered_json;

Json price_json(const Price& price) {
  return {{"ops", price.ops},
          {"calls", price.calls},
          {"host_waits", price.host_waits},
          {"allocations", price.allocations},
          {"launches", price.launches},
          {"launches_delayed", price.delayed},
          {"delay_turns", price.delay_turns},
          {"peak_bytes", price.peak_bytes},
          {"byte_turns", price.byte_turns}};
}

Json row_json(const PricedClass& priced, const VariantPrice& row) {
  const VariantInfo& variant = priced.table.scenario->variants[row.variant];
  Json object{{"variant", variant.name.view()},
              {"claim", to_label(variant.claim.kind).view()},
              {"survived", row.survived},
              {"failures", Json::object()},
              {"price", nullptr}};
  for (const auto& [cause, count] : row.failures) object["failures"][cause] = count;
  if (row.compared) object["price"] = price_json(row.price);
  if (!priced.seconds.empty())
    object["host_seconds"] = row.compared ? Json(priced.seconds[row.variant]) : Json(nullptr);
  return object;
}

Json class_json(const PricedClass& priced) {
  Json rows = Json::array();
  for (const VariantPrice& row : priced.table.variants) rows.push_back(row_json(priced, row));
  return {{"class", priced.name},
          {"programs", priced.table.program_count},
          {"compared", priced.table.compared.size()},
          {"variants", rows}};
}

}  // namespace

std::string price_json(const std::vector<PricedPath>& paths) {
  Json all = Json::array();
  for (const PricedPath& path : paths) {
    Json classes = Json::array();
    for (const PricedClass& priced : path.classes) classes.push_back(class_json(priced));
    all.push_back({{"path", path.scenario->name.view()}, {"classes", classes}});
  }
  return to_text({{"schema", 1}, {"paths", all}});
}

}  // namespace harness::reports
