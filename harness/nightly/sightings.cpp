// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/sightings.h"

#include <fmt/format.h>

#include <string_view>

namespace harness::nightly {
namespace {

/// Whether a sighting in the cell c is in a canary.
constexpr std::string_view kCanary = "c.claim = 'unsound'";

/// Columns of `sighted` about other sightings of its root: whether a sound variant showed it in the
/// same night, and the first nights in which sound variants and canaries showed it.
constexpr std::string_view kOfRoot =
    "max(NOT canary) OVER (PARTITION BY root, night) AS is_sound_too, "
    "min(iif(canary, NULL, number)) OVER (PARTITION BY root) AS sound_since, "
    "min(iif(canary, number, NULL)) OVER (PARTITION BY root) AS canary_since";

/// The owner of such a row. A canary's row belongs to the sound variants if these show the root in
/// the same night, and have shown it for at least as long. Earlier sightings stay with the
/// canaries.
constexpr std::string_view kOwner =
    "iif(NOT canary OR (is_sound_too AND sound_since <= canary_since), 'sound', '')";

/// Begins a statement about one finding, :root and :owner. It uses an index on causes;
/// kSightings would read all sightings.
const std::string kOfFinding = fmt::format(
    "WITH members AS (SELECT cause FROM roots WHERE root = :root UNION SELECT cause FROM findings "
    "WHERE cause = :root), sighted AS (SELECT :root AS root, s.cause AS cause, s.night AS night, "
    "number, "
    "s.runs AS runs, {} AS canary FROM members CROSS JOIN sightings s USING (cause) JOIN nights ON "
    "s.night = id JOIN findings f USING (cause) JOIN cells c ON c.night = s.night AND c.shard = "
    "s.shard AND c.path = f.path AND c.variant = f.variant), seen AS (SELECT cause, night, number, "
    "runs, canary FROM (SELECT *, {} FROM sighted) WHERE {} = :owner OR (canary AND :owner = '')), "
    "own AS (SELECT * FROM seen WHERE NOT canary OR :owner = '') ",
    kCanary, kOfRoot, kOwner);

}  // namespace

const std::string kSightings = fmt::format(
    "(WITH sighted AS (SELECT coalesce(r.root, s.cause) AS root, coalesce(r.words, '') AS words, "
    "s.cause AS cause, s.night AS night, n.number AS number, s.runs AS runs, s.runs + s.other_runs "
    "AS all_runs, {} AS canary FROM sightings s JOIN nights n ON s.night = n.id JOIN findings f "
    "USING (cause) JOIN cells c ON c.night = s.night AND c.shard = s.shard AND c.path = f.path AND "
    "c.variant = f.variant LEFT JOIN roots r USING (cause)) SELECT root, {} AS owner, words, "
    "cause, night, number, runs, all_runs, canary FROM (SELECT *, {} FROM sighted))",
    kCanary, kOwner, kOfRoot);

std::vector<Row> about(Database& database, const FindingKey& key, const std::string& statement,
                       std::uint64_t number) {
  return database.query(kOfFinding + statement,
                        {{"root", key.root}, {"owner", key.owner}, {"number", whole(number)}});
}

}  // namespace harness::nightly
