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
#include "harness/nightly/shard/shard_rows.h"
#include "harness/nightly/shard/shards_ahead.h"
#include "harness/nightly/tapes/kept_tapes.h"

namespace harness::nightly {
namespace {

namespace fs = std::filesystem;

/// The number of a night after all others, to find out what is ignored permanently.
constexpr std::uint64_t kNever = 1'000'000'000'000;

NightWindow window_of(const Row& row) {
  return {.path = row.text("path"),
          .window = row.text("window"),
          .reached = row.count("reached"),
          .caught = row.count("caught")};
}

NightCell cell_of(const Row& row) {
  return {.path = row.text("path"),
          .variant = row.text("variant"),
          .claim = row.text("claim"),
          .runs = row.count("runs"),
          .vacuous_runs = row.count("vacuous_runs"),
          .faulty_runs = row.count("faulty_runs"),
          .caught_runs = row.count("caught_runs"),
          .least_runs = row.count("least_runs"),
          .seconds = row.real("seconds"),
          .tapes = {.given = row.count("tapes_given"),
                    .replayed = row.count("tapes_replayed"),
                    .survived = row.count("tapes_survived"),
                    .runs = row.count("tape_runs")}};
}

constexpr const char* kSumsOfCells =
    "SELECT path, variant, claim, sum(runs) AS runs, sum(vacuous_runs) AS vacuous_runs, "
    "sum(faulty_runs) AS faulty_runs, sum(caught_runs) AS caught_runs, sum(least_runs) AS "
    "least_runs, sum(seconds + minimize_seconds) AS seconds, sum(tapes_given) AS tapes_given, "
    "sum(tapes_replayed) AS tapes_replayed, sum(tapes_survived) AS tapes_survived, sum(tape_runs) "
    "AS tape_runs FROM cells WHERE night = :night GROUP BY path, variant, claim ORDER BY path, "
    "variant";

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

std::uint64_t shard_count(Database& database, const std::string& night) {
  return database
      .query("SELECT count(*) AS count FROM shards WHERE night = :night", {{"night", night}})
      .at(0)
      .count("count");
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
  ShardRows rows(database_);
  for (const std::string& folder : folders) {
    std::optional<ShardFile> shard;
    try {
      shard = shards.next();
      rows.require_fit(*shard, folder);
    } catch (const std::runtime_error& error) {
      merged.errors.emplace_back(error.what());
      continue;
    }
    merged.nights.insert(shard->record.night);
    ++(rows.add(*shard) ? merged.added : merged.known);
  }
  bound_tapes(database_);
  transaction.commit();
  return merged;
}

// ---- reading ----

std::uint64_t History::next_number() {
  return database_.query("SELECT coalesce(max(number), 0) + 1 AS next FROM nights")[0].count(
      "next");
}

bool History::has_all(const std::string& night, std::size_t shards) {
  return shard_count(database_, night) == shards;
}

std::string History::last_night(const std::set<std::string>& among) {
  for (const Row& row : database_.query("SELECT id FROM nights ORDER BY number DESC, id DESC"))
    if (among.empty() || among.contains(row.text("id"))) return row.text("id");
  return {};
}

std::string History::night_before(std::uint64_t number) {
  const auto rows = database_.query(
      "SELECT id FROM nights WHERE number < :number ORDER BY number DESC, id DESC LIMIT 1",
      {{"number", whole(number)}});
  return rows.empty() ? std::string() : rows[0].text("id");
}

Night History::outline(const std::string& id) {
  Night night;
  night.id = id;
  const Row row = database_
                      .query(
                          "SELECT number, seed, planned_runs, planned_seconds, shards, "
                          "target, revision FROM nights WHERE id = :id",
                          {{"id", id}})
                      .at(0);
  night.terms = {row.count("number"),
                 seed_of(row.text("seed"), database_.file()),
                 {row.count("planned_runs"), row.real("planned_seconds")},
                 row.count("shards"),
                 row.text("target"),
                 row.text("revision")};
  night.shards_here = shard_count(database_, id);
  return night;
}

Night History::night(const std::string& id) {
  Night night = outline(id);
  for (const Row& cell : database_.query(kSumsOfCells, {{"night", id}}))
    night.cells.push_back(cell_of(cell));
  for (const Row& window : database_.query(
           "SELECT path, window, sum(reached) AS reached, sum(caught) AS caught FROM windows WHERE "
           "night = :night GROUP BY path, window ORDER BY path, window",
           {{"night", id}}))
    night.windows.push_back(window_of(window));
  for (NightCell& cell : night.cells)
    for (const Row& window : database_.query(
             "SELECT path, window, sum(reached) AS reached, sum(caught) AS caught FROM windows "
             "WHERE night = :night AND path = :path AND variant = :variant GROUP BY window ORDER "
             "BY window",
             {{"night", id}, {"path", cell.path}, {"variant", cell.variant}}))
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
  database_.insert("marks",
                   {{"cause", *cause},
                    {"number", whole(last)},
                    {"state", state},
                    {"reason", reason},
                    {"last_number", whole(nights == 0 ? 0 : last + nights)}},
                   "ON CONFLICT DO UPDATE SET state = excluded.state, reason = excluded.reason, "
                   "last_number = excluded.last_number");
  transaction.commit();
  return true;
}

std::optional<std::string> History::reproducer(const std::string& name) {
  const std::optional<std::string> cause = cause_named(database_, name);
  if (!cause) return std::nullopt;
  return database_
      .query("SELECT reproducer FROM findings WHERE cause = :cause", {{"cause", *cause}})
      .at(0)
      .text("reproducer");
}

// ---- dropping ----

std::vector<ClosedFinding> History::closed_findings() {
  const std::uint64_t last = next_number() - 1;
  std::map<FindingKey, bool> is_closed;
  std::vector<ClosedFinding> closed;
  for (const Row& row : database_.query(
           "SELECT f.cause AS cause, max(number) AS number, length(CAST(reproducer AS BLOB)) AS "
           "bytes FROM findings f JOIN sightings s USING (cause) JOIN nights ON night = id WHERE "
           "reproducer <> '' GROUP BY f.cause HAVING max(number) < :last ORDER BY max(number), "
           "f.cause",
           {{"last", whole(last)}})) {
    const std::string cause = row.text("cause");
    const FindingKey key = key_of(database_, cause).value();
    const auto [known, is_new] = is_closed.try_emplace(key);
    if (is_new) known->second = is_for_good(database_, key, last);
    if (known->second) closed.push_back({cause, row.count("number"), row.count("bytes")});
  }
  return closed;
}

void History::drop_reproducer(const std::string& cause) {
  database_.query("UPDATE findings SET reproducer = '' WHERE cause = :cause", {{"cause", cause}});
}

}  // namespace harness::nightly
