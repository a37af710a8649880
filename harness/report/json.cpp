// SPDX-License-Identifier: Apache-2.0
#include "harness/report/json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "harness/report/json_text.h"

namespace harness::reports {
namespace {

using Json = nlohmann::ordered_json;

Json hazards(const Claim& claim) {
  Json names = Json::array();
  for (const Label& hazard : claim.hazards) names.push_back(hazard.view());
  return names;
}

Json row(const FindingRow& finding);
Json row(const WindowCell& cell);
Json row(const VariantRow& variant);
Json row(const WindowRow& window);
Json row(const OpRow& op);

template <class Rows>
Json rows(const Rows& from) {
  Json all = Json::array();
  for (const auto& one : from) all.push_back(row(one));
  return all;
}

Json row(const FindingRow& finding) {
  Json file = nullptr;
  if (!finding.file.empty()) file = finding.file;
  return {{"signature", finding.signature},
          {"hazard", finding.hazard},
          {"runs", finding.runs},
          {"minimized", finding.minimized},
          {"reproducer", file}};
}

Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json row(const WindowCell& cell) {
  return {{"window", cell.window},
          {"way", or_null(cell.way)},
          {"claimed", cell.claimed},
          {"standing", to_label(cell.standing).view()},
          {"reached", cell.arrivals.reached},
          {"caught", cell.arrivals.caught},
          {"first", cell.arrivals.first},
          {"contract", cell.arrivals.contract},
          {"refused", cell.arrivals.refused},
          {"answer", or_null(cell.answer)},
          {"strayed", cell.arrivals.strayed},
          {"unexplained", cell.unexplained}};
}

/// Returns one file per signature: the first.
Json reproducers(const VariantRow& variant) {
  Json files = Json::array();
  std::set<std::string> known;
  for (const FindingRow& finding : variant.findings)
    if (known.insert(finding.signature).second && !finding.file.empty())
      files.push_back(finding.file);
  return files;
}

Json row(const VariantRow& variant) {
  Json configs = Json::array();
  for (const ConfigRow& config : variant.configs)
    configs.push_back({{"config", config.config},
                       {"verdict", to_label(config.verdict).view()},
                       {"runs", config.runs},
                       {"exercised", config.exercised}});
  Json first = nullptr;
  if (variant.runs_to_first_fault > 0) first = variant.runs_to_first_fault;
  return {{"path", variant.path},
          {"variant", variant.variant},
          {"claim", to_label(variant.claim.kind).view()},
          {"hazards", hazards(variant.claim)},
          {"verdict", to_label(variant.verdict).view()},
          {"runs", variant.runs},
          {"runs_to_first_fault", first},
          {"seconds", variant.seconds},
          {"signatures", variant.signatures()},
          {"reproducers", reproducers(variant)},
          {"configs", configs},
          {"as_claimed", variant.came_out()},
          {"unclaimed", variant.unclaimed},
          {"missed", variant.missed},
          {"strayed", variant.strayed()},
          {"unexplained", variant.unexplained()},
          {"windows", rows(variant.windows)},
          {"least_runs", variant.least_runs},
          {"runs_needed", variant.runs_needed()},
          {"findings", rows(variant.findings)},
          {"further_signatures", variant.further_signatures},
          {"stopped", variant.stopped},
          {"cut_short", variant.cut_short}};
}

Json row(const WindowRow& window) {
  return {{"path", window.path},           {"window", window.window},
          {"reached", window.reached},     {"caught", window.caught},
          {"contract", window.is_callers}, {"protected", window.is_protected()}};
}

Json row(const OpRow& op) { return {{"path", op.path}, {"op", op.op}, {"reached", op.reached}}; }

Json fault_json(const Telling& telling, std::size_t index) {
  const Fault& fault = telling.outcome.faults[index];
  const int window = telling.outcome.windows[index];
  Json name = nullptr;
  if (window >= 0)
    name = telling.the_case.scenario->windows[static_cast<std::size_t>(window)].name.view();
  return {{"signature", fault.signature()},
          {"window", name},
          {"turn", fault.tick},
          {"fatal", fault.fatal},
          {"words", in_words(telling, fault)}};
}

Json seen_json(const Telling& telling) {
  const Seen seen = seen_by_user(telling);
  if (seen.words.empty()) return nullptr;
  return {{"words", seen.words}, {"source", seen.source}};
}

}  // namespace

std::string to_json(const Findings& findings) {
  Json window = nullptr;
  if (!findings.window.empty()) window = findings.window;
  const Json all{{"schema", 1},
                 {"results", rows(findings.variants)},
                 {"windows", rows(findings.windows)},
                 {"ops", rows(findings.ops)},
                 {"stopped", findings.stopped},
                 {"window", window}};
  return to_text(all);
}

std::string to_json(const Telling& telling, std::uint64_t trace_hash, std::string_view signature,
                    bool as_recorded, std::string_view never_asked) {
  const Scenario& scenario = *telling.the_case.scenario;
  Json faults = Json::array();
  for (std::size_t i = 0; i < telling.outcome.faults.size(); ++i)
    faults.push_back(fault_json(telling, i));
  const Json all{{"schema", 1},
                 {"path", scenario.name.view()},
                 {"variant", scenario.variants[telling.the_case.variant].name.view()},
                 {"config", to_string(scenario, telling.the_case.config)},
                 {"device", telling.the_case.device->name.view()},
                 {"signature", signature},
                 {"as_recorded", as_recorded},
                 {"never_asked", never_asked},
                 {"vacuous", telling.outcome.vacuous},
                 {"faults", faults},
                 {"user_sees", seen_json(telling)},
                 {"caller_errors", telling.outcome.caller_errors.size()},
                 {"turns", telling.outcome.turns},
                 {"decisions", telling.outcome.tape.size()},
                 {"trace_hash", fmt::format("{:016x}", trace_hash)}};
  return to_text(all);
}

}  // namespace harness::reports
