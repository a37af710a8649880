// SPDX-License-Identifier: Apache-2.0
// Build search: runs another build of this program to search a cell of a night.
#pragma once

#include <atomic>
#include <string>

#include "harness/base/process/process.h"
#include "harness/nightly/deadline.h"
#include "harness/nightly/shard/build_search.h"

namespace harness::entries {

/// Runs `fuzz` of that build with the cell's numbers, which writes its reproducers into the folder.
/// If the deadline ends the search, the cell counts as not searched, for that reason. Errors:
/// std::runtime_error if it cannot be started.
nightly::BuildSearch search_in_build(const nightly::Cell& cell, const std::string& folder,
                                     const nightly::Deadline& deadline,
                                     const std::atomic<bool>& stop);

/// Returns the sanitizer's line about a process, or how the process ended.
std::string bad_end(const ProcessEnd& ended, double seconds);

/// The reason for a search that the deadline ended.
inline constexpr const char* kCutOff = "out of time";

/// Returns the time limit of a process for a cell: the cell's time, that of many slow runs, and a
/// margin.
double seconds_for(const nightly::Cell& cell);

}  // namespace harness::entries
