// SPDX-License-Identifier: Apache-2.0
// Build cells: the searches of other builds in a night, and the corpora of libFuzzer targets, as
// the history stores them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/nightly/database.h"
#include "harness/nightly/record.h"

namespace harness::nightly {

/// The searches of one build in a night.
struct BuildSearches {
  std::string build;
  std::string why_not;         ///< Why some did not run; "" = all ran.
  std::uint64_t variants = 0;  ///< Number of variants to search.
  std::uint64_t not_run = 0;   ///< Number of variants that were not searched in some shard.
  std::uint64_t runs = 0;
  double seconds = 0;
  std::uint64_t inputs_given = 0;
  std::uint64_t inputs_survived = 0;
};

/// Adds a cell of another build to a history.
void add_build_cell(Database& database, const std::string& night, std::uint64_t shard,
                    const CellRecord& record);

/// Stores the corpus of a target's cell for this night, replacing that of an earlier night. A
/// target has one cell in a night.
void keep_inputs(Database& database, std::uint64_t number, const CellRecord& record);

/// Returns the corpora for the plan of the next night, by path and variant.
std::vector<VariantInputs> kept_inputs(Database& database);

/// Returns the searches of a night, ordered by build.
std::vector<BuildSearches> build_searches_of(Database& database, const std::string& night);

}  // namespace harness::nightly
