// SPDX-License-Identifier: Apache-2.0
// Program search: a program is a cell of a night, as a variant of a path is.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "harness/client/search/search.h"
#include "harness/entries/cli/nightly/programs/program_list.h"
#include "harness/nightly/record.h"

namespace harness::entries {

/// Returns how a program is searched, from this seed, within this budget.
client::SearchOptions search_of(const NightProgram& program, std::uint64_t seed,
                                const nightly::Budget& budget);

/// Returns the cell's record of a search that is over, whose findings it writes into `folder`. What
/// the program does by itself (it fails, or calls no driver) is a finding of the kind *bad end*.
nightly::CellRecord record_of(const nightly::Cell& cell, const NightProgram& program,
                              const client::SearchResult& result, double seconds,
                              const std::string& folder);

/// Searches a program; nothing when it was told to stop. `progress` hears of runs and findings.
std::optional<nightly::CellRecord> search_program(
    const nightly::Cell& cell, const NightProgram& program, const std::string& folder,
    const std::atomic<bool>& stop,
    const std::function<void(std::uint64_t runs, std::size_t findings)>& progress);

}  // namespace harness::entries
