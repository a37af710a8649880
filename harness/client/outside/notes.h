// SPDX-License-Identifier: Apache-2.0
// Notes: sentences for the user of a search, in addition to the findings.
#pragma once

#include <string>
#include <vector>

#include "harness/client/border/report.h"
#include "harness/client/outside/search/search.h"

namespace harness::client {

/// Adds a sentence to the result's note, once.
void add_note(SearchResult& result, const std::string& sentence);

/// Adds the notes that the processes of the default run reported.
void take_notes(const std::vector<Report>& reports, SearchResult& result);

}  // namespace harness::client
