// SPDX-License-Identifier: Apache-2.0
// Program search: searches a program as a cell of a night, like a variant of a path.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "harness/client/outside/search/search.h"
#include "harness/nightly/command/programs/program_list.h"
#include "harness/nightly/record.h"

namespace harness::entries {

/// Returns the options of a program's search with this seed and budget.
client::SearchOptions search_of(const NightProgram& program, std::uint64_t seed,
                                const nightly::Budget& budget);

/// Returns the cell's record of a finished search, whose findings it writes into `folder`. A
/// program that fails by itself, or does not call the driver, has a finding of the kind *bad end*.
nightly::CellRecord record_of(const nightly::Cell& cell, const NightProgram& program,
                              const client::SearchResult& result, double seconds,
                              const std::string& folder);

/// Searches a program. Returns nothing if it was stopped. `progress` receives the numbers of runs
/// and findings.
std::optional<nightly::CellRecord> search_program(
    const nightly::Cell& cell, const NightProgram& program, const std::string& folder,
    const std::atomic<bool>& stop,
    const std::function<void(std::uint64_t runs, std::size_t findings)>& progress);

}  // namespace harness::entries
