// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/absent.h"

#include <algorithm>
#include <array>

namespace harness::nightly {
namespace {

constexpr std::array<std::string_view, 4> kWords{"shown", "gone", "unclear", "out of time"};

std::string_view kind_of(std::string_view signature) {
  return signature.substr(0, signature.find(' '));
}

Absence parse_absence(std::string_view word) {
  const auto found = std::find(kWords.begin(), kWords.end(), word);
  return static_cast<Absence>(found - kWords.begin());
}

// Counts for a finding (sightings.h). :number is the night of the replay. A night that saw the
// finding counts with all its runs.
constexpr const char* kRunsAround =
    ", shown AS (SELECT number, sum(runs) AS shows FROM own WHERE number < :number GROUP BY "
    "number), "
    "last AS (SELECT coalesce(max(number), 0) AS number FROM shown), "
    "searched AS (SELECT nights.number AS number, sum(c.runs) AS runs FROM cells c JOIN nights ON "
    "night = id WHERE (c.path, c.variant) IN (SELECT path, variant FROM findings WHERE cause IN "
    "(SELECT cause FROM own)) AND nights.number <= :number GROUP BY nights.number) "
    "SELECT coalesce((SELECT sum(shows) FROM shown), 0) AS shows, "
    "coalesce((SELECT sum(runs) FROM searched, last WHERE searched.number <= last.number), 0) AS "
    "runs_before, "
    "coalesce((SELECT sum(runs) FROM searched, last WHERE searched.number > last.number), 0) AS "
    "runs";

// One reproducer that shows it is enough. It is gone only if none shows it.
constexpr const char* kOutcomes =
    "SELECT CASE WHEN max(outcome = 'shown') THEN 'shown' WHEN min(outcome = 'gone') THEN 'gone' "
    "WHEN max(outcome = 'unclear') THEN 'unclear' ELSE 'out of time' END AS outcome, number FROM "
    "replays JOIN "
    "nights ON night = id WHERE cause IN (SELECT "
    "cause FROM own) AND number <= :number GROUP BY id ORDER BY number DESC, id";

void count_runs(Database& database, const FindingKey& key, AbsentReplay& replay) {
  const Row row = about(database, key, kRunsAround, replay.number).at(0);
  const auto shows = static_cast<double>(row.count("shows"));
  const auto runs_before = static_cast<double>(row.count("runs_before"));
  replay.runs = row.count("runs");
  replay.expected = runs_before > 0 ? static_cast<double>(replay.runs) * shows / runs_before : 0;
}

}  // namespace

std::string_view to_text(Absence absence) { return kWords[raw(absence)]; }

Absence absence_in(const std::string& signature, const std::vector<std::string>& faults) {
  if (std::find(faults.begin(), faults.end(), signature) != faults.end()) return Absence::shown;
  const bool is_of_kind = std::any_of(faults.begin(), faults.end(), [&](const std::string& fault) {
    return kind_of(fault) == kind_of(signature);
  });
  return is_of_kind ? Absence::unclear : Absence::gone;
}

void note_absence(Database& database, const std::string& night, const std::string& cause,
                  Absence absence) {
  database.insert("replays",
                  {{"night", night}, {"cause", cause}, {"outcome", std::string(to_text(absence))}},
                  "ON CONFLICT DO UPDATE SET outcome = excluded.outcome");
}

std::vector<AbsentReplay> replays_of(Database& database, const FindingKey& key,
                                     std::uint64_t number) {
  std::vector<AbsentReplay> replays;
  for (const Row& row : about(database, key, kOutcomes, number)) {
    AbsentReplay& replay = replays.emplace_back();
    replay.absence = parse_absence(row.text("outcome"));
    replay.number = row.count("number");
    count_runs(database, key, replay);
  }
  return replays;
}

std::optional<std::uint64_t> fixed_in(Database& database, const FindingKey& key,
                                      std::uint64_t number) {
  for (const AbsentReplay& replay : replays_of(database, key, number))
    if (replay.is_fixed()) return replay.number;
  return std::nullopt;
}

}  // namespace harness::nightly
