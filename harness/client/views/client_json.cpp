// SPDX-License-Identifier: Apache-2.0
#include "harness/client/border/json.h"
#include "harness/client/views/client_views.h"

namespace harness::reports {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;

/// Replaces invalid UTF-8, which file names may contain.
std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Json place_json(const client::Place& place) {
  Json rows = Json::array();
  for (const client::Frame& frame : place) rows.push_back(Json(nlohmann::json(frame)));
  return rows;
}

Json fault_object(const client::ToldFault& fault) {
  Json object{{"signature", fault.signature},
              {"kind", fault.kind},
              {"object", fault.object},
              {"at", fault.at}};
  Json places, threads, streams, processes;
  for (const client::PartyInfo& info : client::kParties) {
    const client::Party& party = fault.*info.party;
    object[info.name] = party.site;
    places[info.name] = place_json(party.place);
    threads[info.name] = party.thread;
    streams[info.name] = party.stream;
    if (!party.process.empty()) processes[info.name] = party.process;
  }
  object["detail"] = fault.detail;
  object["ended"] = fault.ended;
  object["places"] = places;
  object["pedantic"] = fault.pedantic;
  object["threads"] = threads;
  object["streams"] = streams;
  if (!processes.empty()) object["processes"] = processes;
  return object;
}

Json decision_object(const client::ToldDecision& told) {
  Json object{{"who", told.who}, {"answer", told.answer}, {"place", place_json(told.place)}};
  if (told.is_forced()) object["forced"] = true;
  return object;
}

Json finding_object(const client::Finding& finding) {
  Json object = fault_object(finding.fault);
  object["decisions"] = Json::array();
  for (const client::ToldDecision& told : finding.decisions)
    object["decisions"].push_back(decision_object(told));
  object["replays"] = finding.replay_count;
  object["shown"] = finding.shown_count;
  object["reads"] = Json(nlohmann::json(finding.reads));
  object["doubt"] = finding.doubt;
  object["fix"] = finding.fix;
  object["faces"] = Json::array();
  for (const client::ToldFault& face : finding.faces) object["faces"].push_back(face.signature);
  if (finding.is_forced()) {
    object["forced"] = true;
    object["why_forced"] = finding.forced;
  }
  return object;
}

Json suppressions_json(const client::SearchResult& result) {
  Json rows = Json::array();
  const client::Suppressions& known = result.options.suppressions;
  for (std::size_t i = 0; i < known.all().size(); ++i) {
    const client::Suppression& one = known.all()[i];
    rows.push_back({{"place", known.place(one)},
                    {"kind", one.kind},
                    {"pattern", one.pattern},
                    {"reason", one.reason},
                    {"runs", result.suppressed_runs[i]}});
  }
  return rows;
}

}  // namespace

std::string search_json(const client::SearchResult& result, const std::vector<std::string>& files) {
  Json object{{"schema", kSchema},
              {"command", result.options.client.command},
              {"seed", result.options.seed},
              {"strategy", std::string(result.options.strategy->name)},
              {"tried_whole", result.tried_whole},
              {"runs", result.run_count},
              {"further_runs", result.further_runs},
              {"calls", result.call_count},
              {"python", result.has_python},
              {"stopped", result.stopped},
              {"note", result.note},
              {"not_ours", result.not_ours},
              {"fixed_addresses", result.fixed_addresses},
              {"forked", result.is_served},
              {"not_forked", result.no_server}};
  object["failures"] = Json::array();
  for (const client::OwnFailure& failure : result.failures)
    object["failures"].push_back({{"complaint", failure.complaint},
                                  {"last_call", failure.last_call},
                                  {"first_run", failure.run},
                                  {"runs", failure.run_count}});
  object["suppressions"] = suppressions_json(result);
  object["survived"] = Json::array();
  for (const client::SurvivedError& one : result.survived) {
    Json row = fault_object(one.error);
    row["runs"] = one.run_count;
    object["survived"].push_back(row);
  }
  object["injected"] = {{"runs", result.failed_runs}, {"given_up", result.given_up_runs}};
  if (result.options.forces) object["forced"] = {{"runs", result.forced_runs}};
  object["pedantic"] = Json::array();
  for (const client::PedanticNote& note : result.pedantic) {
    Json row = fault_object(note.fault);
    row["runs"] = note.run_count;
    object["pedantic"].push_back(row);
  }
  object["findings"] = Json::array();
  for (std::size_t i = 0; i < result.findings.size(); ++i) {
    Json row = finding_object(result.findings[i]);
    row["first_run"] = result.findings[i].run;
    row["runs"] = result.findings[i].run_count;
    row["file"] = i < files.size() ? files[i] : "";
    object["findings"].push_back(row);
  }
  return dump(object);
}

std::string finding_json(const client::FindingFile& file, const client::ClientRun& run,
                         const std::string& differs) {
  Json object = finding_object(file.finding);
  const client::ToldFault* fault = run.find(file.finding.fault);
  client::Finding now;
  if (fault != nullptr) now.fault = *fault;
  now.decisions = run.decisions();
  for (const client::Report& report : run.reports)
    if (now.forced.empty()) now.forced = report.forced;
  object["now"] = fault != nullptr ? finding_object(now) : Json();
  object["schema"] = kSchema;
  object["command"] = file.command;
  object["as_recorded"] = differs.empty();
  object["differs"] = differs;
  object["program_ended"] = run.own_failure(0);
  return dump(object);
}

}  // namespace harness::reports
