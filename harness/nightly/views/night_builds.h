// SPDX-License-Identifier: Apache-2.0
// Night builds: results of a night's findings in other builds, for a page and in words.
#pragma once

#include <string>

#include "harness/nightly/night.h"
#include "harness/report/html.h"

namespace harness::reports {

/// Returns whether a build was not used because it is missing.
bool is_missing(const std::string& why_not);

/// Returns "not built: asan, tsan"; "" if no build is missing.
std::string missing_builds(const nightly::Night& night);

/// Returns "41 findings as recorded, 2 otherwise", or why there was no replay.
std::string outcome_of(const nightly::BuildReplays& replays);

/// Returns "29 variants searched, 1 234 runs", and the searches that did not run.
std::string outcome_of(const nightly::BuildSearches& searches);

/// Returns the section of a page with a row for each build, and one for each finding with a
/// different result; "" if nothing was recorded.
Markup builds_section(const nightly::Night& night);

}  // namespace harness::reports
