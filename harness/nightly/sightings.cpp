#include "harness/nightly/sightings.h"

#include <fmt/format.h>

#include <string_view>

namespace harness::nightly {
namespace {

/// The owner of what was seen in the cell c.
constexpr std::string_view kOwner = "CASE c.claim WHEN 'unsound' THEN '' ELSE 'sound' END";

/// Begins a statement about one finding, ?1 its root and ?2 its owner. By its causes, and so by an
/// index: kSightings would go through all that was ever seen.
const std::string kOfFinding = fmt::format(
    "WITH members AS (SELECT cause FROM roots WHERE root = ?1 UNION SELECT cause FROM findings "
    "WHERE cause = ?1), seen AS (SELECT s.cause AS cause, s.night AS night, number, s.runs AS runs "
    "FROM members CROSS JOIN sightings s USING (cause) JOIN nights ON s.night = id JOIN findings f "
    "USING (cause) JOIN cells c ON c.night = s.night AND c.shard = s.shard AND c.path = f.path AND "
    "c.variant = f.variant WHERE {} = ?2) ",
    kOwner);

}  // namespace

const std::string kSightings = fmt::format(
    "(SELECT coalesce(r.root, s.cause) AS root, {} AS owner, coalesce(r.words, '') AS words, "
    "s.cause AS cause, s.night AS night, n.number AS number, s.runs AS runs, s.runs + s.other_runs "
    "AS all_runs FROM sightings s JOIN nights n ON s.night = n.id JOIN findings f USING (cause) "
    "JOIN cells c ON c.night = s.night AND c.shard = s.shard AND c.path = f.path AND c.variant = "
    "f.variant LEFT JOIN roots r USING (cause))",
    kOwner);

std::vector<Row> about(Database& database, const FindingKey& key, const std::string& statement,
                       std::uint64_t number) {
  return database.query(kOfFinding + statement, {key.root, key.owner, whole(number)});
}

}  // namespace harness::nightly
