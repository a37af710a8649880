// SPDX-License-Identifier: Apache-2.0
// Night views: a night as tables, as a page, and as what other programs read.
//
// Equal nights give equal bytes, but for the times. Texts of files (a revision, a reproducer's
// name) are told by printable().
#pragma once

#include <map>
#include <set>
#include <string>

#include "harness/nightly/night.h"
#include "harness/reports/terminal.h"

namespace harness::reports {

/// Returns the findings to look at, those of sound variants first, a row per variant that is not as
/// it claims, and last the sentence. Reproducers are in `folder`.
std::string night_table(const nightly::Night& night, const std::string& folder,
                        const Terminal& terminal);

/// Where the reproducers of what was news are.
struct NightFiles {
  std::string folder;           ///< Named as on the command line.
  std::string from_page;        ///< The same folder, seen from the page's.
  std::set<std::string> pages;  ///< Reproducers with a page of their own beside them, by name.
  /// The runs that led to them: SARIF's codeFlows as text, by the name of the reproducer.
  std::map<std::string, std::string> code_flows;
};

/// Returns the night as one static HTML page: no script, no network, and it works from a file.
std::string night_page(const nightly::Night& night, const NightFiles& files);

/// Returns a test case per variant and per finding to look at, as JUnit's XML. What makes the night
/// red is a failure.
std::string night_junit(const nightly::Night& night);

/// Returns every finding of the night as SARIF 2.1.0, its cause as the fingerprint.
std::string night_sarif(const nightly::Night& night, const NightFiles& files);

/// Returns the sentence, the findings to look at and the canaries that were missed, as Markdown.
std::string night_markdown(const nightly::Night& night, const NightFiles& files);

/// Returns a night's numbers in the text format of OpenMetrics 1.0.
std::string night_metrics(const nightly::Night& night);

/// Returns the object of `afterlife nightly --json` (results/README.md).
std::string night_json(const nightly::Night& night);

}  // namespace harness::reports
