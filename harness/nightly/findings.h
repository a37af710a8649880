// SPDX-License-Identifier: Apache-2.0
// Findings: symptoms with one root cause (root.h), as the nights of a database know them.
//
// A cause belongs to a path, and several variants may have it. Canaries are expected to fail: all
// canaries of a path with one root cause are one finding. Likewise the sound variants of a path: a
// failure that canaries have shown for long is new when a sound variant shows it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/nightly/absent.h"
#include "harness/nightly/database.h"
#include "harness/nightly/night.h"
#include "harness/nightly/sightings.h"

namespace harness::nightly {

/// Returns the findings that a night saw, each with its symptoms, the simplest first.
std::vector<NightFinding> findings_seen(Database& database, const std::string& night,
                                        std::uint64_t number);
/// Returns the findings that it did not see but replayed, with the results.
std::vector<NightFinding> findings_replayed(Database& database, const std::string& night,
                                            std::uint64_t number);

/// Returns the known findings of searched variants that it did not see: an entry for each symptom,
/// ordered by cause.
std::vector<AbsentFinding> findings_absent(Database& database, const std::string& night,
                                           std::uint64_t number);

/// Returns the state of a finding in the night of this number.
State state_in(Database& database, const FindingKey& key, std::uint64_t number);

/// Returns the finding with this symptom, according to the last night that saw it; nothing if there
/// is none.
std::optional<FindingKey> key_of(Database& database, const std::string& cause);

/// Returns the simplest cause of a finding. `name`: the finding, or one of its causes. Returns
/// nothing if there is none.
std::optional<std::string> cause_named(Database& database, const std::string& name);

}  // namespace harness::nightly
