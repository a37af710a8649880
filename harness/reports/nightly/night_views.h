// Night views: a night as tables and as JSON.
//
// Equal nights give equal bytes, but for the seconds. Texts of files (a revision, a reproducer's
// name) are told by printable().
#pragma once

#include <string>

#include "harness/nightly/night.h"
#include "harness/reports/terminal.h"

namespace harness::reports {

/// Returns a row per variant, the news, the canaries that were not caught, and last a line that
/// sums up. Reproducers of news are looked for in `folder`.
std::string night_table(const nightly::Night& night, const std::string& folder,
                        const Terminal& terminal);

/// Returns the object of `afterlife nightly --json` (results/README.md).
std::string night_json(const nightly::Night& night);

}  // namespace harness::reports
