// Notes: the sentences of a search that its user should read, beside the findings.
#pragma once

#include <string>
#include <vector>

#include "harness/client/report.h"
#include "harness/client/search/search.h"

namespace harness::client {

/// Adds a sentence to the result's note, once.
void add_note(SearchResult& result, const std::string& sentence);

/// Takes what the processes of the plain run tell of themselves.
void take_notes(const std::vector<Report>& reports, SearchResult& result);

}  // namespace harness::client
