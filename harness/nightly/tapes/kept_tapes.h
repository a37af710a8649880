// SPDX-License-Identifier: Apache-2.0
// Tapes: tapes that nights keep for later nights: for each feature of a variant (shortest_tapes.h),
// the tape that reached it.
//
// A later night takes precedence, and within a night the shortest tape: so a tape that no longer
// reaches its feature is replaced, and the order of merges does not matter. For each variant, at
// most kMostFeatures are kept, those that were seen last.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/nightly/database.h"
#include "harness/nightly/plan.h"

namespace harness::nightly {

/// After this many nights in which a feature was not reached, it is dropped.
inline constexpr std::uint64_t kNightsLooked = 14;

/// Keeps the tapes of a variant's cell for the night with this number.
void keep_tapes(Database& database, std::uint64_t number, const Cell& cell,
                const std::vector<KeptTape>& tapes);

/// Drops the features over the limit of each variant.
void bound_tapes(Database& database);

/// Returns the tapes for the plan of the next night, by path, variant and features.
std::vector<VariantTapes> kept_tapes(Database& database);

}  // namespace harness::nightly
