// SPDX-License-Identifier: Apache-2.0
// Finding views: findings of `afterlife run` as files: for other programs, and as pages.
//
// All text of the program is foreign: it stands in each of them as text alone.
#pragma once

#include <string>
#include <vector>

#include "harness/client/finding_file.h"
#include "harness/client/search/search.h"

namespace harness::reports {

/// A search or a replay, as far as its reports tell it.
struct FindingsReport {
  Command command;
  std::vector<client::Finding> findings;
  std::vector<std::string> files;  ///< Those of the findings, in their order.
  bool stopped = false;            ///< By the user, so that something may not have been found.
  std::string unjudged;            ///< Why nothing was judged; empty where something was.
  std::string counts;              ///< "200 runs, 1 finding".
};

/// Returns what a search found. `files` are those of the findings; `unjudged` as above.
FindingsReport report_of(const client::SearchResult& result, std::vector<std::string> files,
                         std::string unjudged);

/// Returns a SARIF log (OASIS SARIF 2.1.0) with a result for each finding.
std::string findings_sarif(const FindingsReport& report);

/// Returns JUnit's XML: a suite with a failure for each finding, or one test that passes.
std::string findings_junit(const FindingsReport& report);

/// Returns a table of the findings and a story of each, for the summary of a CI job.
std::string findings_markdown(const FindingsReport& report);

/// The result of a replay, for a page.
struct Replayed {
  std::string differs;      ///< How the run was not as recorded; empty if it was.
  bool is_replayed = true;  ///< Else the page is of the search that found it.
};

/// Returns the page of one finding: its parties, timeline, choices and commands. No script, no
/// network.
std::string finding_page(const client::Finding& finding, const Command& command,
                         const std::string& file, const Replayed& replayed);

/// Returns the page that lists the findings; `pages` are the names of theirs, in the same folder.
std::string findings_index(const FindingsReport& report, const std::vector<std::string>& pages);

}  // namespace harness::reports
