// SPDX-License-Identifier: Apache-2.0
// Run reports: the findings of `afterlife run` as files for other programs, and as pages.
#pragma once

#include <string>
#include <vector>

#include "harness/client/command/run_client.h"
#include "harness/client/outside/search/search.h"

namespace harness::entries {

/// Refuses output files that cannot be written, before the search. Errors: UsageError if two of
/// them are the same file; std::runtime_error.
void require_report_places(const RunOptions& options);

/// Writes the requested reports. `files`: the files of the findings, in order. `unjudged`: the
/// reason why nothing was judged, or "".
void write_reports(const RunOptions& options, const client::SearchResult& result,
                   const std::vector<std::string>& files, const std::string& unjudged);

}  // namespace harness::entries
