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

// Symptoms. Those of one finding are consecutive: symptoms
// of sound variants first, and among them the one with the shortest reproducer.
constexpr const char* kShows =
    "SELECT seen.root AS root, seen.owner AS owner, max(words) AS repair, f.cause AS cause, kind, "
    "path, variant, hazard, signature, file, sum(all_runs) AS runs FROM {} seen JOIN findings f "
    "USING (cause) WHERE {} GROUP BY seen.root, "
    "seen.owner, f.cause ORDER BY seen.root, seen.owner, min(canary), length(reproducer), "
    "reproducer, f.cause";

/// Combines rows of kShows into findings.
std::vector<NightFinding> gathered(const std::vector<Row>& rows) {
  std::vector<NightFinding> findings;
  FindingKey last;
  for (const Row& row : rows) {
    const FindingKey key{row.text("root"), row.text("owner")};
    const NightSymptom symptom{.cause = row.text("cause"),
                               .kind = row.text("kind"),
                               .variant = row.text("variant"),
                               .hazard = row.text("hazard"),
                               .signature = row.text("signature"),
                               .file = row.text("file"),
                               .runs = row.count("runs")};
    if (findings.empty() || key != last) {
      NightFinding& finding = findings.emplace_back();
      finding.cause = name_of(key, symptom);
      finding.kind = symptom.kind;
      finding.path = row.text("path");
      finding.variant = symptom.variant;
      finding.hazard = symptom.hazard;
      finding.signature = symptom.signature;
      finding.file = symptom.file;
      finding.repair = row.text("repair");
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
       about(database, key,
             "SELECT DISTINCT number FROM seen WHERE number <= :number ORDER BY number", number))
    seen.push_back(row.count("number"));
  return seen;
}

State state_by(Database& database, const FindingKey& key, std::uint64_t number,
               const std::vector<std::uint64_t>& seen) {
  std::optional<Mark> mark;
  for (const Row& said :
       about(database, key,
             "SELECT state, number, last_number FROM marks WHERE cause IN (SELECT cause FROM seen) "
             "AND number < :number ORDER BY number DESC, cause LIMIT 1",
             number))
    mark = {said.text("state"), said.count("number"), said.count("last_number")};
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
  std::vector<NightFinding> findings = gathered(
      database.query(fmt::format(kShows, kSightings, "night = :night"), {{"night", night}}));
  for (NightFinding& finding : findings) add_state(database, finding, number);
  return findings;
}

std::vector<NightFinding> findings_replayed(Database& database, const std::string& night,
                                            std::uint64_t number) {
  std::vector<NightFinding> findings = gathered(database.query(
      fmt::format(kShows, kSightings,
                  "number < :number AND f.cause IN (SELECT cause FROM replays WHERE night = "
                  ":night)"),
      {{"night", night}, {"number", whole(number)}}));
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
               "SELECT DISTINCT root, owner, f.cause AS cause, signature, file, reproducer FROM "
               "{0} seen "
               "JOIN findings f USING (cause) WHERE number < :number AND kind = :kind AND "
               "reproducer <> "
               "'' AND (NOT canary OR owner = '') AND EXISTS (SELECT 1 FROM cells c WHERE c.night "
               "= :night AND c.path = f.path AND "
               "c.variant = f.variant) AND (root, owner) NOT IN (SELECT root, owner FROM {0} WHERE "
               "night = :night) ORDER BY f.cause",
               kSightings),
           {{"night", night}, {"number", whole(number)}, {"kind", std::string(kFault)}})) {
    const FindingKey key{row.text("root"), row.text("owner")};
    const auto [known, is_new] = is_known.try_emplace(key);
    if (is_new) known->second = state_in(database, key, number) == State::known;
    if (known->second)
      absent.push_back({.cause = row.text("cause"),
                        .signature = row.text("signature"),
                        .file = row.text("file"),
                        .reproducer = row.text("reproducer")});
  }
  return absent;
}

State state_in(Database& database, const FindingKey& key, std::uint64_t number) {
  return state_by(database, key, number, nights_with(database, key, number));
}

std::optional<FindingKey> key_of(Database& database, const std::string& cause) {
  const auto rows = database.query(
      fmt::format(
          "SELECT root, owner FROM {} WHERE cause = :cause ORDER BY number DESC, owner LIMIT "
          "1",
          kSightings),
      {{"cause", cause}});
  if (rows.empty()) return std::nullopt;
  return FindingKey{rows[0].text("root"), rows[0].text("owner")};
}

std::optional<std::string> cause_named(Database& database, const std::string& name) {
  const auto known =
      database.query("SELECT cause FROM findings WHERE cause = :cause", {{"cause", name}});
  if (!known.empty()) return name;
  for (const NightFinding& finding :
       gathered(database.query(fmt::format(kShows, kSightings, "seen.root <> seen.cause"))))
    if (finding.cause == name) return finding.symptoms.front().cause;
  return std::nullopt;
}

}  // namespace harness::nightly
