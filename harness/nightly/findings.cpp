// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/findings.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "harness/nightly/cause.h"
#include "harness/nightly/sightings.h"

namespace harness::nightly {
namespace {

/// A finding without a root has the name of its only symptom.
std::string name_of(const FindingKey& key, const NightSymptom& symptom) {
  if (key.owner.empty() || key.root == symptom.cause) return key.root;
  return fmt::format("{:016x}", hash_name(key.root + "\n" + key.owner));
}

// Columns of symptoms, after root, owner and words. Those of one finding are consecutive: symptoms
// of sound variants first, and among them the one with the shortest reproducer.
constexpr const char* kShows =
    "SELECT seen.root, seen.owner, max(words), f.cause, kind, path, variant, hazard, signature, "
    "file, sum(all_runs) FROM {} seen JOIN findings f USING (cause) WHERE {} GROUP BY seen.root, "
    "seen.owner, f.cause ORDER BY seen.root, seen.owner, min(canary), length(reproducer), "
    "reproducer, f.cause";

/// Combines rows of kShows into findings.
std::vector<NightFinding> gathered(const std::vector<Row>& rows) {
  std::vector<NightFinding> findings;
  FindingKey last;
  for (const Row& row : rows) {
    const FindingKey key{text(row[0]), text(row[1])};
    const NightSymptom symptom{text(row[3]), text(row[4]), text(row[6]),     text(row[7]),
                               text(row[8]), text(row[9]), count_at(row, 10)};
    if (findings.empty() || key != last) {
      NightFinding& finding = findings.emplace_back();
      finding.cause = name_of(key, symptom);
      finding.kind = symptom.kind;
      finding.path = text(row[5]);
      finding.variant = symptom.variant;
      finding.hazard = symptom.hazard;
      finding.signature = symptom.signature;
      finding.file = symptom.file;
      finding.repair = text(row[2]);
      finding.root = key.root;
      finding.owner = key.owner;
      last = key;
    }
    findings.back().runs += symptom.runs;
    findings.back().symptoms.push_back(symptom);
  }
  return findings;
}

std::vector<std::uint64_t> nights_with(Database& database, const FindingKey& key,
                                       std::uint64_t number) {
  std::vector<std::uint64_t> seen;
  for (const Row& row :
       about(database, key, "SELECT DISTINCT number FROM seen WHERE number <= ?3 ORDER BY number",
             number))
    seen.push_back(count_at(row, 0));
  return seen;
}

State state_by(Database& database, const FindingKey& key, std::uint64_t number,
               const std::vector<std::uint64_t>& seen) {
  std::optional<Mark> mark;
  for (const Row& said :
       about(database, key,
             "SELECT state, number, last_number FROM marks WHERE cause IN (SELECT cause FROM seen) "
             "AND number < ?3 ORDER BY number DESC, cause LIMIT 1",
             number))
    mark = {text(said[0]), count_at(said, 1), count_at(said, 2)};
  return state_of(number, seen, mark, fixed_in(database, key, number));
}

void add_state(Database& database, NightFinding& finding, std::uint64_t number) {
  const FindingKey key{finding.root, finding.owner};
  const std::vector<std::uint64_t> seen = nights_with(database, key, number);
  finding.state = state_by(database, key, number, seen);
  finding.first_number = seen.empty() ? number : seen.front();
}

}  // namespace

std::vector<NightFinding> findings_seen(Database& database, const std::string& night,
                                        std::uint64_t number) {
  std::vector<NightFinding> findings =
      gathered(database.query(fmt::format(kShows, kSightings, "night = ?"), {night}));
  for (NightFinding& finding : findings) add_state(database, finding, number);
  return findings;
}

std::vector<NightFinding> findings_replayed(Database& database, const std::string& night,
                                            std::uint64_t number) {
  std::vector<NightFinding> findings = gathered(database.query(
      fmt::format(kShows, kSightings,
                  "number < ?2 AND f.cause IN (SELECT cause FROM replays WHERE night = ?1)"),
      {night, whole(number)}));
  for (NightFinding& finding : findings) {
    add_state(database, finding, number);
    finding.runs = 0;
    finding.absent = replays_of(database, {finding.root, finding.owner}, number).at(0);
  }
  return findings;
}

std::vector<AbsentFinding> findings_absent(Database& database, const std::string& night,
                                           std::uint64_t number) {
  std::map<FindingKey, bool> is_known;
  std::vector<AbsentFinding> absent;
  for (const Row& row : database.query(
           fmt::format(
               "SELECT DISTINCT root, owner, f.cause, signature, file, reproducer FROM {0} seen "
               "JOIN findings f USING (cause) WHERE number < ?2 AND kind = ?3 AND reproducer <> "
               "'' AND (NOT canary OR owner = '') AND EXISTS (SELECT 1 FROM cells c WHERE c.night "
               "= ?1 AND c.path = f.path AND "
               "c.variant = f.variant) AND (root, owner) NOT IN (SELECT root, owner FROM {0} WHERE "
               "night = ?1) ORDER BY f.cause",
               kSightings),
           {night, whole(number), std::string(kFault)})) {
    const FindingKey key{text(row[0]), text(row[1])};
    const auto [known, is_new] = is_known.try_emplace(key);
    if (is_new) known->second = state_in(database, key, number) == State::known;
    if (known->second) absent.push_back({text(row[2]), text(row[3]), text(row[4]), text(row[5])});
  }
  return absent;
}

State state_in(Database& database, const FindingKey& key, std::uint64_t number) {
  return state_by(database, key, number, nights_with(database, key, number));
}

std::optional<FindingKey> key_of(Database& database, const std::string& cause) {
  const auto rows = database.query(
      fmt::format("SELECT root, owner FROM {} WHERE cause = ? ORDER BY number DESC, owner LIMIT 1",
                  kSightings),
      {cause});
  if (rows.empty()) return std::nullopt;
  return FindingKey{text(rows[0][0]), text(rows[0][1])};
}

std::optional<std::string> cause_named(Database& database, const std::string& name) {
  if (!database.query("SELECT 1 FROM findings WHERE cause = ?", {name}).empty()) return name;
  for (const NightFinding& finding :
       gathered(database.query(fmt::format(kShows, kSightings, "seen.root <> seen.cause"))))
    if (finding.cause == name) return finding.symptoms.front().cause;
  return std::nullopt;
}

}  // namespace harness::nightly
