// SPDX-License-Identifier: Apache-2.0
// The format is SARIF 2.1.0 (OASIS; https://docs.oasis-open.org/sarif/sarif/v2.1.0/).
#include <nlohmann/json.hpp>
#include <set>

#include "harness/nightly/views/night_views.h"
#include "harness/nightly/views/night_words.h"
#include "harness/report/html.h"
#include "harness/report/json_text.h"
#include "harness/report/sarif.h"

namespace harness::reports {
namespace {

using nightly::Night;
using nightly::NightFinding;
using nightly::State;
using Json = nlohmann::ordered_json;

/// Includes the path, because windows of different paths may have the same name.
std::string rule_of(const NightFinding& finding) {
  return finding.path + "/" + (finding.hazard.empty() ? finding.kind : finding.hazard);
}

std::vector<std::string> rules_of(const Night& night) {
  std::set<std::string> names;
  for (const NightFinding& finding : night.findings) names.insert(rule_of(finding));
  return {names.begin(), names.end()};
}

/// Findings of canaries are notes, because canaries are expected to fail.
std::string_view level_of(const Night& night, const NightFinding& finding) {
  return night.is_of_canary(finding) ? "note" : "error";
}

Json result_of(const Night& night, const NightFinding& finding, const NightFiles& files) {
  const std::string name = finding.path + "/" + finding.variant;
  Json result{{"ruleId", rule_of(finding)},
              {"level", level_of(night, finding)},
              {"baselineState", finding.is_news() ? "new" : "unchanged"},
              {"message", {{"text", headline_of(finding)}}},
              {"partialFingerprints", {{"afterlifeCause/v1", finding.cause}}}};
  Json location{
      {"logicalLocations", Json::array({{{"fullyQualifiedName", name}, {"kind", "member"}}})}};
  if (finding.is_news())
    location["physicalLocation"] = {
        {"artifactLocation", {{"uri", reference(files.folder + "/" + finding.file)}}},
        {"region", {{"startLine", 1}}}};
  result["locations"] = Json::array({location});
  if (const auto flows = files.code_flows.find(finding.file); flows != files.code_flows.end())
    result["codeFlows"] = Json::parse(flows->second);
  if (finding.state == State::ignored)
    result["suppressions"] = Json::array({{{"kind", "external"}, {"status", "accepted"}}});
  return result;
}

}  // namespace

std::string night_sarif(const Night& night, const NightFiles& files) {
  Json results = Json::array();
  for (const NightFinding& finding : night.findings)
    results.push_back(result_of(night, finding, files));
  Json log = sarif_log(rules_of(night), std::move(results));
  log["runs"][0]["automationDetails"] = {{"id", "nightly/" + night.id}};
  return to_text(log) + "\n";
}

}  // namespace harness::reports
