// SPDX-License-Identifier: Apache-2.0
// Tapes: what nights keep for the nights to come: for each feature of a variant (shortest_tapes.h),
// the tape that got there.
//
// A later night counts more, and of one night the shortest tape: so a tape that no longer gets
// anywhere makes room for one that does, and the order in which shards are merged changes nothing.
// Of each variant this many features are kept as kMostFeatures says, those that were seen last.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/nightly/database.h"
#include "harness/nightly/plan.h"

namespace harness::nightly {

/// A feature that no night has seen for this many is not looked for any more.
inline constexpr std::uint64_t kNightsLooked = 14;

/// Keeps the tapes of a variant's cell in the night of this number.
void keep_tapes(Database& database, std::uint64_t number, const Cell& cell,
                const std::vector<KeptTape>& tapes);

/// Drops what is over the limit of each variant.
void bound_tapes(Database& database);

/// Returns the tapes for the plan of the next night, by path, variant and features.
std::vector<VariantTapes> kept_tapes(Database& database);

}  // namespace harness::nightly
