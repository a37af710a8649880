// SPDX-License-Identifier: Apache-2.0
// Client views: what a search over someone's program found, in the lines of that program, for a
// terminal and as JSON.
#pragma once

#include <string>

#include "harness/client/finding_file.h"
#include "harness/client/search/search.h"
#include "harness/reports/terminal.h"

namespace harness::reports {

/// Tells a finding: its fault, the places with their source lines, and what it takes. `file` is
/// where it was written, or "".
std::string finding_text(const client::Finding& finding, const std::string& file,
                         const Terminal& terminal);

/// Returns the words of `replay --why`: which order or reference is missing, and which repair was
/// tried and removes the fault.
std::string finding_why(const client::Finding& finding);

/// Returns the last lines of a search: how many runs and findings, and what else the user should
/// know.
std::string search_summary(const client::SearchResult& result, const Terminal& terminal);

/// Returns the object of `afterlife run --json` (results/README.md). `files` are those of the
/// findings, in their order.
std::string search_json(const client::SearchResult& result, const std::vector<std::string>& files);

/// Returns the object of `afterlife replay --json` for a finding, and for the run that replayed it.
/// `differs` is empty if it came out as recorded.
std::string finding_json(const client::FindingFile& file, const client::ClientRun& run,
                         const std::string& differs);

}  // namespace harness::reports
