// SPDX-License-Identifier: Apache-2.0
// Sightings: the sightings of each finding (findings.h), as keys and as parts of SQL statements.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/nightly/database.h"

namespace harness::nightly {

/// Identifies a finding.
struct FindingKey {
  std::string root;
  /// "sound": the path's sound variants, and canaries that show it only since they do, in nights in
  /// which both show it. "": its canaries.
  std::string owner;
  auto operator<=>(const FindingKey&) const = default;
};

/// Rows of (root, owner, words, cause, night, number, runs, all_runs, canary), one per sighting.
/// `runs` counts those of cells' own searches, from which the probability of a finding is
/// estimated.
extern const std::string kSightings;

/// Executes a statement about one finding. `seen` has rows of (cause, night, number, runs); for
/// canaries also those of nights in which it belonged to the sound variants. `own` has the rows
/// that determine whether it is gone (for sound variants, those that belong to them). `:number`
/// is the number of a night. Returns its rows.
std::vector<Row> about(Database& database, const FindingKey& key, const std::string& statement,
                       std::uint64_t number);

}  // namespace harness::nightly
