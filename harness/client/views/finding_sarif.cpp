// SPDX-License-Identifier: Apache-2.0
// The format is SARIF 2.1.0 (OASIS; https://docs.oasis-open.org/sarif/sarif/v2.1.0/).
#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "harness/base/base.h"
#include "harness/base/printable.h"
#include "harness/client/views/finding_timeline.h"
#include "harness/client/views/finding_views.h"
#include "harness/client/views/finding_words.h"
#include "harness/client/views/kernel_names.h"
#include "harness/core/fault/former_words.h"
#include "harness/report/html.h"
#include "harness/report/json_text.h"
#include "harness/report/sarif.h"

namespace harness::reports {
namespace {

using client::Frame;
using client::Party;
using client::ToldFault;
using Json = nlohmann::ordered_json;

/// Returns the URI of a file: relative if it is below the current folder, else absolute.
std::string uri_of(const std::string& file) {
  const std::string name = near(file);
  return (name.starts_with('/') ? "file://" : "") + reference(name);
}

/// Returns the innermost frame of the user's code with a line, else the innermost frame.
const Frame* told_frame(const client::Place& place) {
  const std::vector<const Frame*> frames = users_frames(place);
  for (const Frame* frame : frames)
    if (frame->line > 0) return frame;
  return frames.empty() ? nullptr : frames.front();
}

Json location_of(const Party& party) {
  Json location = Json::object();
  const Frame* frame = told_frame(party.place);
  if (frame == nullptr) return location;
  Json physical{{"artifactLocation", {{"uri", uri_of(frame->file)}}}};
  if (frame->line > 0) physical["region"] = {{"startLine", frame->line}};
  location["physicalLocation"] = std::move(physical);
  if (!frame->function.empty())
    location["logicalLocations"] =
        Json::array({{{"fullyQualifiedName", printable(frame->function)}, {"kind", "function"}}});
  return location;
}

Json related_locations(const ToldFault& fault) {
  Json rows = Json::array();
  for (const client::PartyInfo& info : client::kParties) {
    const Party& party = fault.*info.party;
    if (is_absent(party) || info.party == &ToldFault::use) continue;
    Json row = location_of(party);
    row["id"] = rows.size() + 1;
    row["message"] = {
        {"text", fmt::format("{}: {}{}", label_of(fault, info), call_of(party), at(party.place))}};
    rows.push_back(std::move(row));
  }
  return rows;
}

Json result_of(const client::Finding& finding, const std::string& file) {
  const ToldFault& fault = finding.fault;
  const std::string message = sentence_of(finding);
  Json result{
      {"ruleId", printable(fault.kind)},
      {"level", "error"},
      {"message", {{"text", message}}},
      {"partialFingerprints",
       {{"afterlifeFinding/v1",
         fmt::format("{:016x}", hash_name(in_former_words(fault.signature) + "\n" + fault.at))}}}};
  const Json location = location_of(fault.use);
  result["locations"] = location.empty() ? Json::array() : Json::array({location});
  result["relatedLocations"] = related_locations(fault);
  result["codeFlows"] = Json::array({sarif_code_flow(timeline(finding), message)});
  result["properties"] = {{"replay", replay_command(file)}, {"fix", with_plain_names(finding.fix)}};
  return result;
}

}  // namespace

std::string findings_sarif(const FindingsReport& report) {
  std::set<std::string> kinds;
  Json results = Json::array();
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    kinds.insert(printable(report.findings[i].fault.kind));
    results.push_back(result_of(report.findings[i], report.files.at(i)));
  }
  Json log = sarif_log({kinds.begin(), kinds.end()}, std::move(results));
  Json invocation{{"executionSuccessful", report.unjudged.empty()}};
  if (!report.unjudged.empty())
    invocation["toolExecutionNotifications"] =
        Json::array({{{"level", "error"}, {"message", {{"text", printable(report.unjudged)}}}}});
  log["runs"][0]["invocations"] = Json::array({std::move(invocation)});
  return to_text(log) + "\n";
}

}  // namespace harness::reports
