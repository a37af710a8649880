// SPDX-License-Identifier: Apache-2.0
// Finding views: findings of `afterlife run` as files for other programs, and as pages.
//
// Text from the program is untrusted, and escaped in all of them.
#pragma once

#include <string>
#include <vector>

#include "harness/client/outside/finding_file.h"
#include "harness/client/outside/search/search.h"

namespace harness::reports {

/// The part of a search or a replay that is reported.
struct FindingsReport {
  Command command;
  std::vector<client::Finding> findings;
  std::vector<std::string> files;  ///< The files of the findings, in order.
  bool stopped = false;            ///< The user stopped it, so findings may be missing.
  std::string unjudged;            ///< Why nothing was judged; "" if something was.
  std::string counts;              ///< "200 runs, 1 finding".
};

/// Returns the report of a search. `files`: those of the findings. `unjudged`: as above.
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
  std::string differs;      ///< How the run differs from the record; "" if it does not.
  bool is_replayed = true;  ///< If not, the page is from the search that found it.
};

/// Returns the page of one finding: its parties, timeline, choices and commands. No script, no
/// network.
std::string finding_page(const client::Finding& finding, const Command& command,
                         const std::string& file, const Replayed& replayed);

/// Returns the page that lists the findings. `pages`: the names of their pages, in the same folder.
std::string findings_index(const FindingsReport& report, const std::vector<std::string>& pages);

}  // namespace harness::reports
