#include "harness/nightly/absent.h"

#include <algorithm>
#include <array>

#include "harness/nightly/cause.h"

namespace harness::nightly {
namespace {

constexpr std::array<std::string_view, 3> kWords{"shown", "gone", "unclear"};

std::uint64_t count_at(const Row& row, std::size_t column) {
  return static_cast<std::uint64_t>(number(row[column]));
}

std::string_view kind_of(std::string_view signature) {
  return signature.substr(0, signature.find(' '));
}

Absence parse_absence(std::string_view word) {
  const auto found = std::find(kWords.begin(), kWords.end(), word);
  return static_cast<Absence>(found - kWords.begin());
}

// ?1 is the cause, ?2 the night of the replay. A night that saw it counts with all of its runs.
constexpr const char* kRunsAround =
    "WITH seen AS (SELECT number, sum(s.runs) AS shows FROM sightings s JOIN nights ON night = id "
    "WHERE cause = ?1 AND number < ?2 GROUP BY number), "
    "last AS (SELECT coalesce(max(number), 0) AS number FROM seen), "
    "searched AS (SELECT nights.number AS number, sum(c.runs) AS runs FROM cells c JOIN nights ON "
    "night = id JOIN findings f ON f.cause = ?1 AND c.path = f.path AND c.variant = f.variant "
    "WHERE nights.number <= ?2 GROUP BY nights.number) "
    "SELECT coalesce((SELECT sum(shows) FROM seen), 0), "
    "coalesce((SELECT sum(runs) FROM searched, last WHERE searched.number <= last.number), 0), "
    "coalesce((SELECT sum(runs) FROM searched, last WHERE searched.number > last.number), 0)";

void count_runs(Database& database, const std::string& cause, AbsentReplay& replay) {
  const Row row =
      database.query(kRunsAround, {cause, static_cast<std::int64_t>(replay.number)}).at(0);
  const auto shows = static_cast<double>(count_at(row, 0));
  const auto runs_before = static_cast<double>(count_at(row, 1));
  replay.runs = count_at(row, 2);
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

std::vector<AbsentFinding> absent_findings(Database& database, const std::string& night) {
  std::vector<AbsentFinding> absent;
  for (const Row& row : database.query(
           "SELECT cause, signature, file, reproducer FROM findings f WHERE kind = ?2 AND "
           "reproducer <> '' AND EXISTS (SELECT 1 FROM cells c WHERE c.night = ?1 AND c.path = "
           "f.path AND c.variant = f.variant) AND NOT EXISTS (SELECT 1 FROM sightings s WHERE "
           "s.cause = f.cause AND s.night = ?1) AND EXISTS (SELECT 1 FROM sightings s JOIN nights "
           "n ON s.night = n.id WHERE s.cause = f.cause AND n.number < (SELECT number FROM nights "
           "WHERE id = ?1)) ORDER BY cause",
           {night, std::string(kFault)}))
    absent.push_back({text(row[0]), text(row[1]), text(row[2]), text(row[3])});
  return absent;
}

void note_absence(Database& database, const std::string& night, const std::string& cause,
                  Absence absence) {
  database.query("INSERT OR REPLACE INTO replays VALUES (?, ?, ?)",
                 {night, cause, std::string(to_text(absence))});
}

std::vector<AbsentReplay> replays_of(Database& database, const std::string& cause,
                                     std::uint64_t number) {
  std::vector<AbsentReplay> replays;
  for (const Row& row : database.query(
           "SELECT outcome, number FROM replays JOIN nights ON night = id WHERE cause = ? AND "
           "number <= ? ORDER BY number DESC, id",
           {cause, static_cast<std::int64_t>(number)})) {
    AbsentReplay& replay = replays.emplace_back();
    replay.absence = parse_absence(text(row[0]));
    replay.number = count_at(row, 1);
    count_runs(database, cause, replay);
  }
  return replays;
}

std::optional<std::uint64_t> fixed_in(Database& database, const std::string& cause,
                                      std::uint64_t number) {
  for (const AbsentReplay& replay : replays_of(database, cause, number))
    if (replay.is_fixed()) return replay.number;
  return std::nullopt;
}

}  // namespace harness::nightly
