// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/record.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/base/files/fail.h"
#include "harness/base/files/foreign_file.h"
#include "harness/base/files/plain_name.h"
#include "harness/core/fault/former_words.h"
#include "harness/nightly/sealed.h"
#include "harness/nightly/tapes/tapes_json.h"
#include "harness/search/reproducer/reproducer.h"

namespace harness::nightly {
namespace {

using Json = nlohmann::json;

constexpr const char* kCell = "cell";
constexpr const char* kShard = "shard";

std::string hash_of(std::string_view text) { return fmt::format("{:016x}", hash_name(text)); }

std::uint64_t count_of(const Json& json) {
  const auto count = json.get<std::int64_t>();
  const bool is_whole = json.is_number_integer() && count >= 0 && count <= kMostOfAnything;
  if (!is_whole) throw NotAName(fmt::format("a count is {}, which none is", json.dump()));
  return static_cast<std::uint64_t>(count);
}

std::uint64_t count_in(const Json& json, const char* key) { return count_of(json.at(key)); }

/// Returns 0 for a missing count, which older programs did not write.
std::uint64_t count_or_none(const Json& json, const char* key) {
  return json.contains(key) ? count_in(json, key) : 0;
}

Json to_json(const FindingRecord& finding) {
  Json json{{"cause", finding.cause},
            {"kind", finding.kind},
            {"hazard", finding.hazard},
            {"signature", finding.signature},
            {"runs", finding.runs},
            {"first_run", finding.first_run},
            {"minimized", finding.minimized},
            {"file", finding.file},
            {"hash", hash_of(finding.reproducer)},
            {"difference", finding.difference}};
  // Repairs that were not tried are omitted, as older programs do, so that equal results stay
  // equal.
  if (!finding.repairs.empty()) json["repairs"] = finding.repairs;
  if (finding.other_runs > 0) json["other_runs"] = finding.other_runs;
  return json;
}

/// Reads a reproducer, which must be in the shard's folder, and unchanged.
std::string reproducer_of(const Json& finding, const std::string& folder) {
  const std::string name = finding.at("file");
  const std::string file = (std::filesystem::path(folder) / name).string();
  std::string text = ForeignFile::in_folder(folder, name, "reproducer").text();
  if (hash_of(text) != finding.at("hash").get<std::string>())
    fail(file,
         "is damaged: it was changed after it was written; remove the shard, and run it again");
  if (is_finding_of_run(text)) parse_reproducer(text, file);  // Throws an explanation.
  return text;
}

FindingRecord finding_of(const Json& json, const std::string& folder) {
  return {hexadecimal_id(json.at("cause"), "a cause"),
          json.at("kind"),
          in_current_words(plain_name(json.at("hazard"), "a hazard")),
          in_current_words(json.at("signature").get<std::string>()),
          count_in(json, "runs"),
          count_in(json, "first_run"),
          json.at("minimized"),
          json.at("file"),
          reproducer_of(json, folder),
          json.at("difference"),
          json.value("repairs", std::string()),
          count_or_none(json, "other_runs")};
}

Json to_json(const TapesRecord& tapes) {
  return {{"given", tapes.given},
          {"replayed", tapes.replayed},
          {"survived", tapes.survived},
          {"runs", tapes.runs},
          {"kept", to_json(std::span<const KeptTape>(tapes.kept))}};
}

TapesRecord tapes_of(const Json& json) {
  return {count_in(json, "given"), count_in(json, "replayed"), count_in(json, "survived"),
          count_in(json, "runs"), tapes_in(json.at("kept"))};
}

Json to_json(const CellRecord& record) {
  const Cell& cell = record.cell;
  Json windows = Json::array(), findings = Json::array();
  for (const WindowRecord& window : record.windows)
    windows.push_back(
        {{"window", window.window}, {"reached", window.reached}, {"caught", window.caught}});
  for (const FindingRecord& finding : record.findings) findings.push_back(to_json(finding));
  Json json{{"path", cell.path},
            {"variant", cell.variant},
            {"claim", cell.claim},
            {"seed", cell.seed},
            {"planned_runs", cell.budget.runs},
            {"planned_seconds", cell.budget.seconds},
            {"runs", record.runs},
            {"vacuous_runs", record.vacuous_runs},
            {"faulty_runs", record.faulty_runs},
            {"caught_runs", record.caught_runs},
            {"least_runs", record.least_runs},
            {"first_fault_run", record.first_fault_run},
            {"cut_short", record.cut_short},
            {"seconds", record.seconds},
            {"minimize_seconds", record.minimize_seconds},
            {"windows", windows},
            {"findings", findings}};
  // Unknown numbers are omitted, as older programs do, so that equal results stay equal.
  if (record.instructions > 0) json["instructions"] = record.instructions;
  if (record.tape_seconds > 0) json["tape_seconds"] = record.tape_seconds;
  if (record.all_seconds > 0) json["all_seconds"] = record.all_seconds;
  if (record.waiting > 0) json["waiting"] = record.waiting;
  if (cell.tapes_budget != Budget{})
    json["planned_for_tapes"] = {cell.tapes_budget.runs, cell.tapes_budget.seconds};
  if (!cell.build.empty()) json["build"] = cell.build;
  if (!record.why_not.empty()) json["why_not"] = record.why_not;
  if (record.inputs != InputsRecord{})
    json["inputs"] = {{"given", record.inputs.given},
                      {"survived", record.inputs.survived},
                      {"kept", record.inputs.kept}};
  if (record.tapes != TapesRecord{}) json["tapes"] = to_json(record.tapes);
  return json;
}

CellRecord cell_of(const Json& json, const std::string& folder) {
  CellRecord record;
  record.cell = {plain_name(json.at("path"), "a path"),
                 plain_name(json.at("variant"), "a variant"),
                 plain_name(json.at("claim"), "a claim"),
                 json.at("seed"),
                 {count_in(json, "planned_runs"), json.at("planned_seconds")}};
  if (json.contains("planned_for_tapes"))
    record.cell.tapes_budget = {count_of(json.at("planned_for_tapes").at(0)),
                                json.at("planned_for_tapes").at(1)};
  if (json.contains("build")) record.cell.build = plain_name(json.at("build"), "a build");
  record.why_not = json.value("why_not", std::string());
  record.runs = count_in(json, "runs");
  record.vacuous_runs = count_in(json, "vacuous_runs");
  record.faulty_runs = count_in(json, "faulty_runs");
  record.caught_runs = count_in(json, "caught_runs");
  record.least_runs = count_in(json, "least_runs");
  record.first_fault_run = count_in(json, "first_fault_run");
  record.cut_short = json.at("cut_short");
  record.seconds = json.at("seconds");
  record.minimize_seconds = json.at("minimize_seconds");
  record.instructions = count_or_none(json, "instructions");
  record.tape_seconds = json.value("tape_seconds", 0.0);
  record.all_seconds = json.value("all_seconds", 0.0);
  record.waiting = count_or_none(json, "waiting");
  for (const Json& window : json.at("windows"))
    record.windows.push_back({plain_name(window.at("window"), "a window"),
                              count_in(window, "reached"), count_in(window, "caught")});
  for (const Json& finding : json.at("findings"))
    record.findings.push_back(finding_of(finding, folder));
  if (json.contains("inputs")) {
    const Json& inputs = json.at("inputs");
    record.inputs = {count_in(inputs, "given"), count_in(inputs, "survived"),
                     inputs.at("kept").get<std::vector<std::string>>()};
    for (const std::string& one : record.inputs.kept) hexadecimal_digits(one, "an input");
  }
  if (json.contains("tapes")) record.tapes = tapes_of(json.at("tapes"));
  return record;
}

Json to_json(const ShardRecord& shard) {
  Json cells = Json::array();
  for (const CellRecord& cell : shard.cells) cells.push_back(to_json(cell));
  Json json{{"night", shard.night},
            {"number", shard.terms.number},
            {"seed", shard.terms.seed},
            {"planned_runs", shard.terms.budget.runs},
            {"planned_seconds", shard.terms.budget.seconds},
            {"shards", shard.terms.shards},
            {"target", shard.terms.target},
            {"revision", shard.terms.revision},
            {"index", shard.index},
            {"cells", cells},
            {"ended_at", shard.ended_at}};
  if (shard.peak_bytes > 0) json["peak_bytes"] = shard.peak_bytes;
  if (!shard.machine.empty()) json["machine"] = shard.machine;
  return json;
}

ShardRecord shard_of(const Json& json, const std::string& folder) {
  ShardRecord shard;
  shard.night = hexadecimal_id(json.at("night"), "a night");
  shard.terms = {count_in(json, "number"),
                 json.at("seed"),
                 {count_in(json, "planned_runs"), json.at("planned_seconds")},
                 count_in(json, "shards"),
                 target_name(json.at("target")),
                 revision_name(json.at("revision"))};
  shard.index = count_in(json, "index");
  for (const Json& cell : json.at("cells")) shard.cells.push_back(cell_of(cell, folder));
  shard.ended_at =
      static_cast<std::int64_t>(count_or_none(json, "ended_at"));  // Missing in older files.
  shard.peak_bytes = count_or_none(json, "peak_bytes");
  shard.machine = json.value("machine", "");
  return shard;
}

/// Removes data that may differ between runs of a plan, as if it were unknown.
std::string result_of(Json shard) {
  shard["ended_at"] = 0;
  shard.erase("peak_bytes");
  shard.erase("machine");
  for (Json& cell : shard["cells"]) {
    cell["seconds"] = cell["minimize_seconds"] = 0.0;
    for (const char* key : {"instructions", "tape_seconds", "all_seconds"}) cell.erase(key);
  }
  return hash_of(sealed(kShard, std::move(shard)));
}

}  // namespace

std::string to_text(const CellRecord& cell) { return sealed(kCell, to_json(cell)); }

std::string to_text(const ShardRecord& shard) { return sealed(kShard, to_json(shard)); }

CellRecord parse_cell(const std::string& text, const std::string& file, const std::string& folder) {
  return parse_sealed(kCell, text, file, [&](const Json& json) { return cell_of(json, folder); });
}

ShardFile parse_shard(const std::string& text, const std::string& file, const std::string& folder) {
  return parse_sealed(kShard, text, file, [&](Json json) {
    ShardRecord record = shard_of(json, folder);
    return ShardFile{std::move(record), hash_of(text), result_of(std::move(json))};
  });
}

}  // namespace harness::nightly
