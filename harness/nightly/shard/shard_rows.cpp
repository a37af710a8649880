// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/shard/shard_rows.h"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "harness/base/printable.h"
#include "harness/nightly/build_cells.h"
#include "harness/nightly/tapes/kept_tapes.h"

namespace harness::nightly {
namespace {

namespace fs = std::filesystem;

/// Returns the primary key of a shard.
Fields shard_key(const ShardRecord& shard) {
  return {{"night", shard.night}, {"shard", whole(shard.index)}};
}

/// The order of the sightings of a finding, in SQL; the first represents it. Preferred is one whose
/// repairs were tried, then the shortest reproducer. Of equally short ones, it is the first by
/// content and names, then the one with more repairs (a shard with a known repair tries no others).
/// So the result does not depend on the order in which shards are merged.
std::string place_of(std::string_view row) {
  return fmt::format(
      "({0}.repairs = '', length({0}.reproducer), {0}.reproducer, {0}.kind, {0}.path, {0}.variant, "
      "{0}.hazard, {0}.signature, {0}.file, -length({0}.repairs), {0}.repairs)",
      row);
}

/// Makes a sighting the representative of its finding if it comes first, or if the reproducer was
/// dropped.
std::string keep_first_sighting() {
  return fmt::format(
      "ON CONFLICT DO UPDATE SET kind = excluded.kind, path = excluded.path, variant = "
      "excluded.variant, hazard = excluded.hazard, signature = excluded.signature, file = "
      "excluded.file, reproducer = excluded.reproducer, repairs = excluded.repairs WHERE "
      "findings.reproducer = '' OR {} > {}",
      place_of("findings"), place_of("excluded"));
}

/// Adds the runs of two signatures with the same cause, which are one sighting.
constexpr const char* kAddRuns =
    "ON CONFLICT DO UPDATE SET runs = runs + excluded.runs, first_run = iif(min(first_run, "
    "excluded.first_run) > 0, min(first_run, excluded.first_run), max(first_run, "
    "excluded.first_run)), other_runs = other_runs + excluded.other_runs";

}  // namespace

/// Requires that a shard belongs to its night, and has the result that it had before.
void ShardRows::require_fit(const ShardFile& file, const std::string& folder) {
  const ShardRecord& shard = file.record;
  if (shard.index < 1 || shard.index > shard.terms.shards)
    throw std::runtime_error(fmt::format("{}: does not belong to its night", printable(folder)));
  const auto known = database_.query(
      "SELECT result FROM shards WHERE night = :night AND shard = :shard", shard_key(shard));
  if (!known.empty() && known[0].text("result") != file.result)
    throw std::runtime_error(
        fmt::format("{}: is in the history with a different result; one of the two was written by "
                    "another program, or does not depend on its plan alone",
                    printable(folder)));
}

/// Returns false if the history has this shard, and keeps its times.
bool ShardRows::is_wanted(const ShardFile& file) {
  const ShardRecord& shard = file.record;
  const auto known = database_.query(
      "SELECT content FROM shards WHERE night = :night AND shard = :shard", shard_key(shard));
  if (known.empty()) {
    add_shard(file);
    return true;
  }
  // Two runs of one shard differ in their times. One of them is selected, regardless of their
  // order.
  if (file.content >= known[0].text("content")) return false;
  for (const char* table : {"sightings", "windows", "cells", "build_cells"})
    database_.query(fmt::format("DELETE FROM {} WHERE night = :night AND shard = :shard", table),
                    shard_key(shard));
  database_.query(
      "UPDATE shards SET content = :content, ended_at = :ended_at, peak_bytes = :peak_bytes, "
      "machine = :machine WHERE night = :night AND shard = :shard",
      {{"content", file.content},
       {"ended_at", shard.ended_at},
       {"peak_bytes", whole(shard.peak_bytes)},
       {"machine", shard.machine},
       {"night", shard.night},
       {"shard", whole(shard.index)}});
  return true;
}

/// Adds a shard without its cells, and its night if this is the first shard of it.
void ShardRows::add_shard(const ShardFile& file) {
  const ShardRecord& shard = file.record;
  database_.insert("revisions", {{"name", shard.terms.revision}}, "ON CONFLICT DO NOTHING");
  database_.insert("nights",
                   {{"id", shard.night},
                    {"number", whole(shard.terms.number)},
                    {"seed", fmt::format("{}", shard.terms.seed)},
                    {"planned_runs", whole(shard.terms.budget.runs)},
                    {"planned_seconds", shard.terms.budget.seconds},
                    {"shards", whole(shard.terms.shards)},
                    {"target", shard.terms.target},
                    {"revision", shard.terms.revision}},
                   "ON CONFLICT DO NOTHING");
  database_.insert("shards", {{"night", shard.night},
                              {"shard", whole(shard.index)},
                              {"result", file.result},
                              {"content", file.content},
                              {"ended_at", shard.ended_at},
                              {"peak_bytes", whole(shard.peak_bytes)},
                              {"machine", shard.machine}});
}

bool ShardRows::add(const ShardFile& file) {
  const ShardRecord& shard = file.record;
  const bool is_new =
      database_
          .query("SELECT 1 FROM shards WHERE night = :night AND shard = :shard", shard_key(shard))
          .empty();
  if (is_wanted(file))
    for (const CellRecord& cell : shard.cells) add_cell(shard, cell);
  return is_new;
}

void ShardRows::add_cell(const ShardRecord& shard, const CellRecord& record) {
  const Cell& cell = record.cell;
  for (const FindingRecord& finding : record.findings) add_finding(shard, cell, finding);
  keep_inputs(database_, shard.terms.number, record);
  if (!cell.build.empty()) return add_build_cell(database_, shard.night, shard.index, record);
  database_.insert("cells", {{"night", shard.night},
                             {"shard", whole(shard.index)},
                             {"path", cell.path},
                             {"variant", cell.variant},
                             {"claim", cell.claim},
                             {"seed", fmt::format("{}", cell.seed)},
                             {"planned_runs", whole(cell.budget.runs)},
                             {"planned_seconds", cell.budget.seconds},
                             {"runs", whole(record.runs)},
                             {"vacuous_runs", whole(record.vacuous_runs)},
                             {"faulty_runs", whole(record.faulty_runs)},
                             {"caught_runs", whole(record.caught_runs)},
                             {"least_runs", whole(record.least_runs)},
                             {"first_fault_run", whole(record.first_fault_run)},
                             {"cut_short", whole(record.cut_short)},
                             {"seconds", record.seconds},
                             {"minimize_seconds", record.minimize_seconds},
                             {"instructions", whole(record.instructions)},
                             {"tapes_given", whole(record.tapes.given)},
                             {"tapes_replayed", whole(record.tapes.replayed)},
                             {"tapes_survived", whole(record.tapes.survived)},
                             {"tape_runs", whole(record.tapes.runs)},
                             {"tape_seconds", record.tape_seconds},
                             {"all_seconds", record.all_seconds},
                             {"waiting", whole(record.waiting)}});
  keep_tapes(database_, shard.terms.number, cell, record.tapes.kept);
  for (const WindowRecord& window : record.windows)
    database_.insert("windows", {{"night", shard.night},
                                 {"shard", whole(shard.index)},
                                 {"path", cell.path},
                                 {"variant", cell.variant},
                                 {"window", window.window},
                                 {"reached", whole(window.reached)},
                                 {"caught", whole(window.caught)}});
}

void ShardRows::add_finding(const ShardRecord& shard, const Cell& cell,
                            const FindingRecord& finding) {
  database_.insert("findings",
                   {{"cause", finding.cause},
                    {"kind", finding.kind},
                    {"path", cell.path},
                    {"variant", cell.variant},
                    {"hazard", finding.hazard},
                    {"signature", finding.signature},
                    {"file", fs::path(finding.file).filename().string()},
                    {"reproducer", finding.reproducer},
                    {"repairs", finding.repairs}},
                   keep_first_sighting());
  database_.insert("sightings",
                   {{"night", shard.night},
                    {"shard", whole(shard.index)},
                    {"cause", finding.cause},
                    {"runs", whole(finding.runs)},
                    {"first_run", whole(finding.first_run)},
                    {"minimized", whole(finding.minimized)},
                    {"difference", finding.difference},
                    {"other_runs", whole(finding.other_runs)}},
                   kAddRuns);
}

}  // namespace harness::nightly
