#include "harness/nightly/sightings.h"

namespace harness::nightly {
namespace {

/// Begins a statement about one finding, ?1 its root and ?2 its owner. By its causes, and so by an
/// index: kSightings would go through all that was ever seen.
constexpr const char* kOfFinding =
    "WITH members AS (SELECT cause FROM roots WHERE root = ?1 UNION SELECT cause FROM findings "
    "WHERE cause = ?1), seen AS (SELECT s.cause AS cause, s.night AS night, number, s.runs AS runs "
    "FROM members CROSS JOIN sightings s USING (cause) JOIN nights ON s.night = id JOIN findings f "
    "USING (cause) JOIN cells c ON c.night = s.night AND c.shard = s.shard AND c.path = f.path AND "
    "c.variant = f.variant WHERE CASE c.claim WHEN 'unsound' THEN '' ELSE 'sound' END = ?2) ";

}  // namespace

std::vector<Row> about(Database& database, const FindingKey& key, const std::string& statement,
                       std::uint64_t number) {
  return database.query(kOfFinding + statement, {key.root, key.owner, whole(number)});
}

}  // namespace harness::nightly
