// Sightings: what was seen, by finding (findings.h), as keys and as parts of statements.
#pragma once

#include <compare>
#include <string>

namespace harness::nightly {

/// Tells findings apart.
struct FindingKey {
  std::string root;
  std::string owner;  ///< The sound variant; "" = the canaries of the path.
  auto operator<=>(const FindingKey&) const = default;
};

/// Rows of (root, owner, words, cause, night, number, runs), one per sighting.
inline constexpr const char* kSightings =
    "(SELECT coalesce(r.root, s.cause) AS root, CASE c.claim WHEN 'unsound' THEN '' ELSE f.variant "
    "END AS owner, coalesce(r.words, '') AS words, s.cause AS cause, s.night AS night, n.number AS "
    "number, s.runs AS runs FROM sightings s JOIN nights n ON s.night = n.id JOIN findings f USING "
    "(cause) JOIN cells c ON c.night = s.night AND c.shard = s.shard AND c.path = f.path AND "
    "c.variant = f.variant LEFT JOIN roots r USING (cause))";

/// Begins a statement about one finding, ?1 its root and ?2 its owner: `seen` has rows of
/// (cause, night, number, runs).
inline constexpr const char* kOfFinding =
    "WITH members AS (SELECT cause FROM roots WHERE root = ?1 UNION SELECT cause FROM findings "
    "WHERE cause = ?1), seen AS (SELECT s.cause AS cause, s.night AS night, number, s.runs AS runs "
    "FROM members CROSS JOIN sightings s USING (cause) JOIN nights ON s.night = id JOIN findings f "
    "USING (cause) JOIN cells c ON c.night = s.night AND c.shard = s.shard AND c.path = f.path AND "
    "c.variant = f.variant WHERE CASE c.claim WHEN 'unsound' THEN '' ELSE f.variant END = ?2) ";

}  // namespace harness::nightly
