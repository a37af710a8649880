// SPDX-License-Identifier: Apache-2.0
#include "harness/report/sarif.h"

#include <algorithm>

#include "harness/core/fault/kinds.h"
#include "harness/report/html.h"
#include "harness/report/json_text.h"
#include "harness/report/story_lines.h"

namespace harness::reports {
namespace {

using Json = nlohmann::ordered_json;

const char* importance_of(const Row& row) {
  switch (row.weight) {
    case Weight::noise:
    case Weight::minor:
    case Weight::light:
      return "unimportant";
    case Weight::op:
      return "important";
    case Weight::concerned:
    case Weight::fault:
      return "essential";
  }
  return "";
}

/// Returns a step for each row that has a mark in the lane. Rows are counted from 1, over all
/// lanes.
Json steps_of(const Timeline& timeline, std::size_t lane) {
  Json steps = Json::array();
  for (std::size_t i = 0; i < timeline.rows.size(); ++i) {
    const Row& row = timeline.rows[i];
    const bool has_part = std::any_of(row.marks.begin(), row.marks.end(),
                                      [&](const Mark& mark) { return mark.lane == lane; });
    if (!has_part) continue;
    steps.push_back(
        {{"location", {{"message", {{"text", row.text}}}}},
         {"executionOrder", i + 1},
         {"importance", importance_of(row)},
         {"state", {{std::string(timeline.unit), {{"text", std::to_string(row.turn)}}}}}});
  }
  return steps;
}

}  // namespace

Json sarif_log(const std::vector<std::string>& rules, Json results) {
  Json rows = Json::array();
  for (const std::string& rule : rules) rows.push_back({{"id", rule}});
  const Json tool{{"driver", {{"name", "afterlife"}, {"rules", std::move(rows)}}}};
  return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
          {"version", "2.1.0"},
          {"runs", Json::array({{{"tool", tool}, {"results", std::move(results)}}})}};
}

Json sarif_code_flow(const Timeline& timeline, const std::string& message) {
  Json flows = Json::array();
  for (std::size_t lane = 0; lane < timeline.lanes.size(); ++lane) {
    if (timeline.lanes[lane].kind == LaneKind::object) continue;
    Json steps = steps_of(timeline, lane);
    if (steps.empty()) continue;  // SARIF requires at least one.
    flows.push_back({{"id", timeline.lanes[lane].name}, {"locations", std::move(steps)}});
  }
  return {{"message", {{"text", message}}}, {"threadFlows", std::move(flows)}};
}

std::string case_sarif(const Telling& telling, const std::string& file) {
  const Case& the_case = telling.the_case;
  const std::string path(the_case.scenario->name.view());
  const std::string variant(the_case.scenario->variants[the_case.variant].name.view());
  const Fault* fault = reported_fault(telling);
  if (fault == nullptr) return to_text(sarif_log({}, Json::array())) + "\n";
  const std::string rule = path + "/" + std::string(to_label(fault->kind).view());
  std::string words = in_words(telling, *fault);
  if (const Seen seen = seen_by_user(telling); !seen.words.empty())
    words += ". A user sees: " + seen.words;
  Json result{{"ruleId", rule},
              {"level", "error"},
              {"message", {{"text", words}}},
              {"partialFingerprints", {{"afterlifeSignature/v1", fault->signature()}}},
              {"codeFlows", Json::array({sarif_code_flow(timeline(telling), words)})}};
  result["locations"] = Json::array(
      {{{"logicalLocations",
         Json::array({{{"fullyQualifiedName", path + "/" + variant}, {"kind", "member"}}})},
        {"physicalLocation",
         {{"artifactLocation", {{"uri", reference(file)}}}, {"region", {{"startLine", 1}}}}}}});
  return to_text(sarif_log({rule}, Json::array({std::move(result)}))) + "\n";
}

}  // namespace harness::reports
