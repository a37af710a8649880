// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <tuple>

#include "harness/base/files/foreign_file.h"
#include "harness/base/files/make_folder.h"
#include "harness/base/printable.h"
#include "harness/nightly/findings.h"
#include "harness/nightly/foreign_rows.h"
#include "harness/nightly/root.h"
#include "harness/nightly/schema.h"
#include "harness/nightly/shard/shards_ahead.h"
#include "harness/nightly/tapes/kept_tapes.h"

namespace harness::nightly {
namespace {

namespace fs = std::filesystem;

/// The number of a night after all others, to find out what is ignored permanently.
constexpr std::uint64_t kNever = 1'000'000'000'000;

NightWindow window_of(const Row& row) {
  return {text(row[0]), text(row[1]), count_at(row, 2), count_at(row, 3)};
}

/// Parses the seed of a night, which may be too large for a numeric column.
std::uint64_t seed_of(const std::string& digits, const std::string& file) {
  std::uint64_t seed = 0;
  const char* const end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, seed);
  if (error == std::errc{} && rest == end) return seed;
  throw std::runtime_error(
      fmt::format("{}: is damaged: a night has the seed '{}', which is not a number; move it away "
                  "and import an export, or merge the shards again",
                  printable(file), shown(digits)));
}

/// Returns "(?, ?, ?)".
std::string places(std::size_t count) {
  std::string text = "(";
  for (std::size_t i = 0; i < count; ++i) text += i == 0 ? "?" : ", ?";
  return text + ")";
}

void insert(Database& database, const char* table, const Row& row, const char* otherwise = "") {
  database.query(fmt::format("INSERT {} INTO {} VALUES {}", otherwise, table, places(row.size())),
                 row);
}

/// Returns whether a finding is permanently closed after this night. Marks made since then count,
/// too.
bool is_for_good(Database& database, const FindingKey& key, std::uint64_t last) {
  const State state = state_in(database, key, last + 1);
  return state == State::fixed ||
         (state == State::ignored && state_in(database, key, kNever) == State::ignored);
}

}  // namespace

std::string history_file(const std::string& folder) {
  make_folder(folder, "choose another with --history");
  return (fs::path(folder) / "history.sqlite").string();
}

// Another program may have created the folder and its file.
History::History(const std::string& folder) : database_(history_file(folder)) {
  require_no_link((fs::path(folder) / "findings").string());
  require_own_tables(database_);
  migrate(database_);
  require_own_rows(database_);
}

// ---- merging ----

Merged History::merge(const std::vector<std::string>& folders) {
  Merged merged;
  Transaction transaction(database_);
  ShardsAhead shards(folders);
  for (const std::string& folder : folders) {
    std::optional<ShardFile> shard;
    try {
      shard = shards.next();
      require_fit(*shard, folder);
    } catch (const std::runtime_error& error) {
      merged.errors.emplace_back(error.what());
      continue;
    }
    merged.nights.insert(shard->record.night);
    ++(add(*shard) ? merged.added : merged.known);
  }
  bound_tapes(database_);
  transaction.commit();
  return merged;
}

/// Requires that a shard belongs to its night, and has the result that it had before.
void History::require_fit(const ShardFile& file, const std::string& folder) {
  const ShardRecord& shard = file.record;
  if (shard.index < 1 || shard.index > shard.terms.shards)
    throw std::runtime_error(fmt::format("{}: does not belong to its night", printable(folder)));
  const auto known = database_.query("SELECT result FROM shards WHERE night = ? AND shard = ?",
                                     {shard.night, whole(shard.index)});
  if (!known.empty() && text(known[0][0]) != file.result)
    throw std::runtime_error(
        fmt::format("{}: is in the history with a different result; one of the two was written by "
                    "another program, or does not depend on its plan alone",
                    printable(folder)));
}

/// Returns false if the history has this shard, and keeps its times.
bool History::is_wanted(const ShardFile& file) {
  const ShardRecord& shard = file.record;
  const Row key{shard.night, whole(shard.index)};
  const auto known =
      database_.query("SELECT content FROM shards WHERE night = ? AND shard = ?", key);
  if (known.empty()) {
    insert(database_, "revisions", {shard.terms.revision}, "OR IGNORE");
    insert(database_, "nights",
           {shard.night, whole(shard.terms.number), fmt::format("{}", shard.terms.seed),
            whole(shard.terms.budget.runs), shard.terms.budget.seconds, whole(shard.terms.shards),
            shard.terms.target, shard.terms.revision},
           "OR IGNORE");
    insert(database_, "shards",
           {shard.night, whole(shard.index), file.result, file.content, shard.ended_at,
            whole(shard.peak_bytes), shard.machine});
    return true;
  }
  // Two runs of one shard differ in their times. One of them is selected, regardless of their
  // order.
  if (file.content >= text(known[0][0])) return false;
  for (const char* table : {"sightings", "windows", "cells", "build_cells"})
    database_.query(fmt::format("DELETE FROM {} WHERE night = ? AND shard = ?", table), key);
  database_.query(
      "UPDATE shards SET content = ?, ended_at = ?, peak_bytes = ?, machine = ? WHERE night = ? "
      "AND shard = ?",
      {file.content, shard.ended_at, whole(shard.peak_bytes), shard.machine, key[0], key[1]});
  return true;
}

bool History::add(const ShardFile& file) {
  const ShardRecord& shard = file.record;
  const bool is_new = database_
                          .query("SELECT 1 FROM shards WHERE night = ? AND shard = ?",
                                 {shard.night, whole(shard.index)})
                          .empty();
  if (is_wanted(file))
    for (const CellRecord& cell : shard.cells) add_cell(shard, cell);
  return is_new;
}

void History::add_cell(const ShardRecord& shard, const CellRecord& record) {
  const Cell& cell = record.cell;
  for (const FindingRecord& finding : record.findings) add_finding(shard, cell, finding);
  keep_inputs(database_, shard.terms.number, record);
  if (!cell.build.empty()) return add_build_cell(database_, shard.night, shard.index, record);
  insert(database_, "cells",
         {shard.night,
          whole(shard.index),
          cell.path,
          cell.variant,
          cell.claim,
          fmt::format("{}", cell.seed),
          whole(cell.budget.runs),
          cell.budget.seconds,
          whole(record.runs),
          whole(record.vacuous_runs),
          whole(record.faulty_runs),
          whole(record.caught_runs),
          whole(record.least_runs),
          whole(record.first_fault_run),
          whole(record.cut_short),
          record.seconds,
          record.minimize_seconds,
          whole(record.instructions),
          whole(record.tapes.given),
          whole(record.tapes.replayed),
          whole(record.tapes.survived),
          whole(record.tapes.runs),
          record.tape_seconds,
          record.all_seconds,
          whole(record.waiting)});
  keep_tapes(database_, shard.terms.number, cell, record.tapes.kept);
  for (const WindowRecord& window : record.windows)
    insert(database_, "windows",
           {shard.night, whole(shard.index), cell.path, cell.variant, window.window,
            whole(window.reached), whole(window.caught)});
}

// The finding is represented by its sighting with the shortest reproducer, preferably one whose
// repairs were tried. Of equally short ones, it is the first by content and names, then the one
// with more repairs (a shard with a known repair tries no others). So the result does not depend on
// the order.
void History::add_finding(const ShardRecord& shard, const Cell& cell,
                          const FindingRecord& finding) {
  const std::string file = fs::path(finding.file).filename().string();
  const Row row{finding.cause,     finding.kind, cell.path,          cell.variant,   finding.hazard,
                finding.signature, file,         finding.reproducer, finding.repairs};
  insert(database_, "findings", row, "OR IGNORE");
  database_.query(
      "UPDATE findings SET kind = ?2, path = ?3, variant = ?4, hazard = ?5, signature = ?6, "
      "file = ?7, reproducer = ?8, repairs = ?9 WHERE cause = ?1 AND (reproducer = '' OR "
      "(repairs = '', length(reproducer), reproducer, kind, path, variant, hazard, signature, "
      "file, -length(repairs), repairs) > (?9 = '', length(?8), ?8, ?2, ?3, ?4, ?5, ?6, ?7, "
      "-length(?9), ?9))",
      row);
  // Two signatures with the same cause are one sighting.
  database_.query(
      fmt::format(
          "INSERT INTO sightings VALUES {} ON CONFLICT DO UPDATE SET runs = runs + "
          "excluded.runs, first_run = iif(min(first_run, excluded.first_run) > 0, min(first_run, "
          "excluded.first_run), max(first_run, excluded.first_run)), other_runs = other_runs + "
          "excluded.other_runs",
          places(8)),
      {shard.night, whole(shard.index), finding.cause, whole(finding.runs),
       whole(finding.first_run), whole(finding.minimized), finding.difference,
       whole(finding.other_runs)});
}

// ---- reading ----

std::uint64_t History::next_number() {
  return count_at(database_.query("SELECT coalesce(max(number), 0) + 1 FROM nights")[0], 0);
}

bool History::has_all(const std::string& night, std::size_t shards) {
  const Row row = database_.query("SELECT count(*) FROM shards WHERE night = ?", {night}).at(0);
  return count_at(row, 0) == shards;
}

std::string History::last_night(const std::set<std::string>& among) {
  for (const Row& row : database_.query("SELECT id FROM nights ORDER BY number DESC, id DESC"))
    if (among.empty() || among.contains(text(row[0]))) return text(row[0]);
  return {};
}

std::string History::night_before(std::uint64_t number) {
  const auto rows = database_.query(
      "SELECT id FROM nights WHERE number < ? ORDER BY number DESC, id DESC LIMIT 1",
      {whole(number)});
  return rows.empty() ? std::string() : text(rows[0][0]);
}

Night History::outline(const std::string& id) {
  Night night;
  night.id = id;
  const Row row = database_
                      .query(
                          "SELECT number, seed, planned_runs, planned_seconds, shards, "
                          "target, revision FROM nights WHERE id = ?",
                          {id})
                      .at(0);
  night.terms = {count_at(row, 0),
                 seed_of(text(row[1]), database_.file()),
                 {count_at(row, 2), std::get<double>(row[3])},
                 count_at(row, 4),
                 text(row[5]),
                 text(row[6])};
  night.shards_here =
      count_at(database_.query("SELECT count(*) FROM shards WHERE night = ?", {id})[0], 0);
  return night;
}

Night History::night(const std::string& id) {
  Night night = outline(id);
  for (const Row& cell : database_.query(
           "SELECT path, variant, claim, sum(runs), sum(vacuous_runs), sum(faulty_runs), "
           "sum(caught_runs), sum(least_runs), sum(seconds + minimize_seconds), sum(tapes_given), "
           "sum(tapes_replayed), sum(tapes_survived), sum(tape_runs) FROM cells "
           "WHERE night = ? GROUP BY path, variant, claim ORDER BY path, variant",
           {id}))
    night.cells.push_back(
        {text(cell[0]),
         text(cell[1]),
         text(cell[2]),
         count_at(cell, 3),
         count_at(cell, 4),
         count_at(cell, 5),
         count_at(cell, 6),
         count_at(cell, 7),
         std::get<double>(cell[8]),
         {},
         {count_at(cell, 9), count_at(cell, 10), count_at(cell, 11), count_at(cell, 12)}});
  for (const Row& window : database_.query(
           "SELECT path, window, sum(reached), sum(caught) FROM windows WHERE night = ? "
           "GROUP BY path, window ORDER BY path, window",
           {id}))
    night.windows.push_back(window_of(window));
  for (NightCell& cell : night.cells)
    for (const Row& window : database_.query(
             "SELECT path, window, sum(reached), sum(caught) FROM windows WHERE night = ? "
             "AND path = ? AND variant = ? GROUP BY window ORDER BY window",
             {id, cell.path, cell.variant}))
      cell.windows.push_back(window_of(window));
  night.findings = findings_seen(database_, id, night.terms.number);
  night.absent = findings_replayed(database_, id, night.terms.number);
  night.past = past_nights(database_, night.terms.number);
  night.builds = builds_of(database_, id);
  night.build_searches = build_searches_of(database_, id);
  night.times = times_of(database_, night);
  const auto key = [](const NightFinding& finding) {
    return std::tuple(!finding.is_news(), std::tie(finding.path, finding.variant, finding.hazard,
                                                   finding.signature, finding.kind, finding.cause));
  };
  for (std::vector<NightFinding>* findings : {&night.findings, &night.absent})
    std::sort(findings->begin(), findings->end(),
              [&](const NightFinding& a, const NightFinding& b) { return key(a) < key(b); });
  return night;
}

std::vector<AbsentFinding> History::absent(const Night& night) {
  return findings_absent(database_, night.id, night.terms.number);
}

void History::sort_findings() { sort_by_root(database_); }

std::vector<KnownRepair> History::known_repairs() { return nightly::known_repairs(database_); }

std::vector<VariantInputs> History::inputs() { return kept_inputs(database_); }

std::vector<VariantTapes> History::tapes() { return kept_tapes(database_); }

void History::note(const Night& night, const std::map<std::string, Absence>& absences) {
  Transaction transaction(database_);
  for (const auto& [cause, absence] : absences) note_absence(database_, night.id, cause, absence);
  transaction.commit();
}

void History::note_builds(const Night& night, const std::vector<BuildReplays>& builds) {
  nightly::note_builds(database_, night.id, builds);
}

// ---- marks ----

bool History::mark(const std::string& name, const std::string& state, const std::string& reason,
                   std::uint64_t nights) {
  Transaction transaction(database_);
  const std::optional<std::string> cause = cause_named(database_, name);
  if (!cause) return false;
  const std::uint64_t last = next_number() - 1;
  insert(database_, "marks",
         {*cause, whole(last), state, reason, whole(nights == 0 ? 0 : last + nights)},
         "OR REPLACE");
  transaction.commit();
  return true;
}

std::optional<std::string> History::reproducer(const std::string& name) {
  const std::optional<std::string> cause = cause_named(database_, name);
  if (!cause) return std::nullopt;
  return text(
      database_.query("SELECT reproducer FROM findings WHERE cause = ?", {*cause}).at(0)[0]);
}

// ---- dropping ----

std::vector<ClosedFinding> History::closed_findings() {
  const std::uint64_t last = next_number() - 1;
  std::map<FindingKey, bool> is_closed;
  std::vector<ClosedFinding> closed;
  for (const Row& row : database_.query(
           "SELECT f.cause, max(number), length(CAST(reproducer AS BLOB)) FROM findings f JOIN "
           "sightings s USING (cause) JOIN nights ON night = id WHERE reproducer <> '' GROUP BY "
           "f.cause HAVING max(number) < ? ORDER BY max(number), f.cause",
           {whole(last)})) {
    const FindingKey key = key_of(database_, text(row[0])).value();
    const auto [known, is_new] = is_closed.try_emplace(key);
    if (is_new) known->second = is_for_good(database_, key, last);
    if (known->second) closed.push_back({text(row[0]), count_at(row, 1), count_at(row, 2)});
  }
  return closed;
}

void History::drop_reproducer(const std::string& cause) {
  database_.query("UPDATE findings SET reproducer = '' WHERE cause = ?", {cause});
}

}  // namespace harness::nightly
