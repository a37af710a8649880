// SPDX-License-Identifier: Apache-2.0
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
  /// "sound": the sound variants of the path together, and the canaries that show it only since
  /// these do, in nights that show both; "": its canaries.
  std::string owner;
  auto operator<=>(const FindingKey&) const = default;
};

/// Rows of (root, owner, words, cause, night, number, runs, all_runs, canary), one per sighting.
/// The runs are those of cells' own searches: how often these show a finding says how likely it
/// shows.
extern const std::string kSightings;

/// Carries out a statement about one finding. `seen` has rows of (cause, night, number, runs), of
/// canaries also those of nights in which it was a finding of the sound variants; `own` has those
/// of them that say whether it is gone (of sound variants, if it is theirs); ?3 is the number of a
/// night. Returns its rows.
std::vector<Row> about(Database& database, const FindingKey& key, const std::string& statement,
                       std::uint64_t number);

}  // namespace harness::nightly
