// SPDX-License-Identifier: Apache-2.0
// Findings: what shows in one or many ways and has one root cause (root.h), as the nights of a
// database know it.
//
// A cause is of its path, and variants share it. Canaries are there to fail: all those of a path
// that one cause explains are one finding. So are the sound variants of a path: whatever canaries
// show since long is new where one of these shows it, too.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/nightly/absent.h"
#include "harness/nightly/database.h"
#include "harness/nightly/night.h"
#include "harness/nightly/sightings.h"

namespace harness::nightly {

/// Returns the findings that a night saw: each with what it showed, the simplest first.
std::vector<NightFinding> findings_seen(Database& database, const std::string& night,
                                        std::uint64_t number);
/// Returns those that it did not see and whose reproducers it replayed, with their results.
std::vector<NightFinding> findings_replayed(Database& database, const std::string& night,
                                            std::uint64_t number);

/// Returns the known findings that it did not see, of variants that it searched: a row for each
/// way in which they show, by cause.
std::vector<AbsentFinding> findings_absent(Database& database, const std::string& night,
                                           std::uint64_t number);

/// Returns the state of a finding in the night of this number.
State state_in(Database& database, const FindingKey& key, std::uint64_t number);

/// Returns the finding that shows like this, by the last night that saw it; nothing if there is
/// none.
std::optional<FindingKey> key_of(Database& database, const std::string& cause);

/// Returns a cause by which a finding is known, the simplest: `name` is one of them, or names the
/// finding. Nothing where there is none.
std::optional<std::string> cause_named(Database& database, const std::string& name);

}  // namespace harness::nightly
