// SPDX-License-Identifier: Apache-2.0
// Client views: the result of a search for a terminal and as JSON, with lines of the user's
// program.
#pragma once

#include <string>

#include "harness/client/outside/finding_file.h"
#include "harness/client/outside/search/search.h"
#include "harness/report/terminal.h"

namespace harness::reports {

/// Returns a finding in words: its fault, the places with their source lines, and its choices.
/// `file`: the file of the finding, or "".
std::string finding_text(const client::Finding& finding, const std::string& file,
                         const Terminal& terminal);

/// Returns the text of `replay --why`: the missing order or reference, and a repair that was tried
/// and removes the fault.
std::string finding_why(const client::Finding& finding);

/// Returns the last lines of a search: the number of runs and findings, and further notes.
std::string search_summary(const client::SearchResult& result, const Terminal& terminal);

/// Returns the object of `afterlife run --json` (results/README.md). `files`: those of the
/// findings, in order.
std::string search_json(const client::SearchResult& result, const std::vector<std::string>& files);

/// Returns the object of `afterlife replay --json` for a finding and the run that replayed it.
/// `differs` is "" if it came out as recorded.
std::string finding_json(const client::FindingFile& file, const client::ClientRun& run,
                         const std::string& differs);

}  // namespace harness::reports
