// SPDX-License-Identifier: Apache-2.0
// Night views: a night as tables, as a page, and in the formats of other programs.
//
// Equal nights give equal bytes, except for times. Texts from files (a revision, a reproducer's
// name) pass printable().
#pragma once

#include <map>
#include <set>
#include <string>

#include "harness/nightly/night.h"
#include "harness/report/terminal.h"

namespace harness::reports {

/// Returns the findings that need attention, those of sound variants first, then a row per variant
/// that is not as claimed, and last the sentence. Reproducers are in `folder`.
std::string night_table(const nightly::Night& night, const std::string& folder,
                        const Terminal& terminal);

/// Locations of the reproducers of new findings.
struct NightFiles {
  std::string folder;           ///< Its name on the command line.
  std::string from_page;        ///< The same folder, relative to the page's.
  std::set<std::string> pages;  ///< Names of reproducers with a page beside them.
  /// The runs that led to them: SARIF's codeFlows as text, by the reproducer's name.
  std::map<std::string, std::string> code_flows;
};

/// Returns the night as one static HTML page: no script, no network, and it works from a file.
std::string night_page(const nightly::Night& night, const NightFiles& files);

/// Returns a test case per variant and per finding that needs attention, as JUnit's XML. Reasons
/// for a red night are failures.
std::string night_junit(const nightly::Night& night);

/// Returns all findings of the night as SARIF 2.1.0, with the cause as fingerprint.
std::string night_sarif(const nightly::Night& night, const NightFiles& files);

/// Returns the sentence, the findings that need attention and the missed canaries, as Markdown.
std::string night_markdown(const nightly::Night& night, const NightFiles& files);

/// Returns a night's numbers in the text format of OpenMetrics 1.0.
std::string night_metrics(const nightly::Night& night);

/// Returns the object of `afterlife nightly --json` (results/README.md).
std::string night_json(const nightly::Night& night);

}  // namespace harness::reports
