// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "harness/nightly/views/night_sentence.h"
#include "harness/nightly/views/night_views.h"
#include "harness/report/json_text.h"

namespace harness::reports {
namespace {

using Json = nlohmann::ordered_json;

Json row(const nightly::NightCell& cell) {
  return {{"path", cell.path},
          {"variant", cell.variant},
          {"claim", cell.claim},
          {"canary", cell.is_canary()},
          {"verdict", cell.verdict()},
          {"runs", cell.runs},
          {"vacuous_runs", cell.vacuous_runs},
          {"faulty_runs", cell.faulty_runs},
          {"caught_runs", cell.caught_runs},
          {"seconds", cell.seconds},
          {"tapes",
           {{"given", cell.tapes.given},
            {"replayed", cell.tapes.replayed},
            {"survived", cell.tapes.survived},
            {"runs", cell.tapes.runs}}}};
}

Json row(const nightly::NightWindow& window) {
  return {{"path", window.path},
          {"window", window.window},
          {"reached", window.reached},
          {"caught", window.caught}};
}

Json row(const nightly::NightSymptom& symptom) {
  return {{"cause", symptom.cause},   {"variant", symptom.variant},
          {"hazard", symptom.hazard}, {"signature", symptom.signature},
          {"runs", symptom.runs},     {"reproducer", symptom.file}};
}

Json row(const nightly::Night& night, const nightly::NightFinding& finding) {
  Json symptoms = Json::array();
  for (const nightly::NightSymptom& symptom : finding.symptoms) symptoms.push_back(row(symptom));
  return {{"cause", finding.cause},       {"state", to_text(finding.state)},
          {"red", night.is_red(finding)}, {"kind", finding.kind},
          {"path", finding.path},         {"variant", finding.variant},
          {"hazard", finding.hazard},     {"signature", finding.signature},
          {"runs", finding.runs},         {"first_night", finding.first_number},
          {"reproducer", finding.file},   {"repair", finding.repair},
          {"symptoms", symptoms}};
}

Json absent_row(const nightly::Night& night, const nightly::NightFinding& finding) {
  const nightly::AbsentReplay& replay = finding.absent.value();
  Json json = row(night, finding);
  json.erase("runs");
  json["replay"] = to_text(replay.absence);
  json["runs_since"] = replay.runs;
  json["expected"] = replay.expected;
  return json;
}

Json absent_rows(const nightly::Night& night) {
  Json all = Json::array();
  for (const nightly::NightFinding& finding : night.absent)
    all.push_back(absent_row(night, finding));
  return all;
}

Json finding_rows(const nightly::Night& night) {
  Json all = Json::array();
  for (const nightly::NightFinding& finding : night.findings) all.push_back(row(night, finding));
  return all;
}

Json row(const nightly::BuildReplays& replays) {
  Json others = Json::array();
  for (const auto& [cause, difference] : replays.differences)
    if (!difference.empty()) others.push_back({{"cause", cause}, {"difference", difference}});
  return {{"build", replays.build},
          {"why_not", replays.why_not},
          {"as_recorded", replays.same_count()},
          {"otherwise", others}};
}

Json row(const nightly::BuildSearches& searches) {
  return {{"build", searches.build},
          {"why_not", searches.why_not},
          {"variants", searches.variants},
          {"not_run", searches.not_run},
          {"runs", searches.runs},
          {"seconds", searches.seconds},
          {"inputs_given", searches.inputs_given},
          {"inputs_survived", searches.inputs_survived}};
}

Json row(const nightly::Trend& trend) {
  Json points = Json::array(), changes = Json::array();
  for (const nightly::TrendPoint& point : trend.points)
    points.push_back(
        {{"night", point.number}, {"revision", point.revision}, {"value", point.value}});
  for (const nightly::ChangePoint& change : trend.changes)
    changes.push_back({{"night", trend.points[change.index].number},
                       {"revision", trend.points[change.index].revision},
                       {"ratio", change.ratio},
                       {"chance", change.chance},
                       {"worse", trend.is_worse(change)}});
  return {{"path", trend.path},
          {"variant", trend.variant},
          {"quantity", to_text(trend.quantity)},
          {"points", points},
          {"changes", changes}};
}

template <class Rows>
Json rows(const Rows& from) {
  Json all = Json::array();
  for (const auto& one : from) all.push_back(row(one));
  return all;
}

}  // namespace

std::string night_json(const nightly::Night& night) {
  Json missed = Json::array();
  for (const nightly::NightCell* cell : night.missed_canaries())
    missed.push_back(cell->path + "/" + cell->variant);
  return to_text({{"schema", 1},
                  {"night", night.id},
                  {"number", night.terms.number},
                  {"seed", night.terms.seed},
                  {"target", night.terms.target},
                  {"revision", night.terms.revision},
                  {"planned_runs", night.terms.budget.runs},
                  {"planned_seconds", night.terms.budget.seconds},
                  {"shards", night.terms.shards},
                  {"shards_missing", night.terms.shards - night.shards_here},
                  {"nights_missing", night.nights_missing},
                  {"ended_at", night.past.empty() ? 0 : night.past.back().ended_at},
                  {"red", night.is_red()},
                  {"sentence", sentence_of(night)},
                  {"canaries_missed", missed},
                  {"runs_to_catch", nightly::kRunsToCatch},
                  {"seconds", night.times.seconds},
                  {"sound_share", night.times.sound_share(night.terms)},
                  {"untried_repairs", night.times.untried},
                  {"not_replayed", night.times.unreplayed},
                  {"machine", night.times.machine},
                  {"cells", rows(night.cells)},
                  {"windows", rows(night.windows)},
                  {"findings", finding_rows(night)},
                  {"absent", absent_rows(night)},
                  {"builds", rows(night.builds)},
                  {"build_searches", rows(night.build_searches)},
                  {"trends", rows(night.trends)}});
}

}  // namespace harness::reports
