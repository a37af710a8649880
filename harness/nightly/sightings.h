// Sightings: what was seen, by finding (findings.h), as keys and as parts of statements.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/nightly/database.h"

namespace harness::nightly {

/// Tells findings apart.
struct FindingKey {
  std::string root;
  std::string owner;  ///< "sound": the sound variants of the path together; "": its canaries.
  auto operator<=>(const FindingKey&) const = default;
};

/// Rows of (root, owner, words, cause, night, number, runs, all_runs), one per sighting. The runs
/// are those of cells' own searches: how often these show a finding says how likely it shows.
inline constexpr const char* kSightings =
    "(SELECT coalesce(r.root, s.cause) AS root, CASE c.claim WHEN 'unsound' THEN '' ELSE 'sound' "
    "END AS owner, coalesce(r.words, '') AS words, s.cause AS cause, s.night AS night, n.number AS "
    "number, s.runs AS runs, s.runs + s.other_runs AS all_runs FROM sightings s JOIN nights n ON "
    "s.night = n.id JOIN findings f USING "
    "(cause) JOIN cells c ON c.night = s.night AND c.shard = s.shard AND c.path = f.path AND "
    "c.variant = f.variant LEFT JOIN roots r USING (cause))";

/// Carries out a statement about one finding: `seen` has rows of (cause, night, number, runs), and
/// ?3 is the number of a night. Returns its rows.
std::vector<Row> about(Database& database, const FindingKey& key, const std::string& statement,
                       std::uint64_t number);

}  // namespace harness::nightly
