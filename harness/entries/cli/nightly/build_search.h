// SPDX-License-Identifier: Apache-2.0
// Build search: has another build, which stands beside this program, search a cell of a night.
#pragma once

#include <atomic>
#include <string>

#include "harness/nightly/deadline.h"
#include "harness/nightly/shard/build_search.h"
#include "harness/process/process.h"

namespace harness::entries {

/// Runs `fuzz` of that build with the cell's numbers, and leaves its reproducers in the folder.
/// Errors: std::runtime_error if it cannot be started.
/// One that the deadline cuts off was not searched, for that reason.
nightly::BuildSearch search_in_build(const nightly::Cell& cell, const std::string& folder,
                                     const nightly::Deadline& deadline,
                                     const std::atomic<bool>& stop);

/// Returns a sanitizer's own line about a process, or how it ended.
std::string bad_end(const ProcessEnd& ended, double seconds);

/// The reason for a search that the deadline cut off.
inline constexpr const char* kCutOff = "out of time";

/// Returns how long a process may take for a cell: its own time, that of many slow runs, and some.
double seconds_for(const nightly::Cell& cell);

}  // namespace harness::entries
