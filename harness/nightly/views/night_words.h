// SPDX-License-Identifier: Apache-2.0
// Night words: the names of a night's parts, common to all views.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "harness/nightly/night.h"
#include "harness/report/terminal.h"

namespace harness::reports {

/// Returns "path/variant".
std::string name_of(const nightly::NightCell& cell);

/// Returns green for a variant as claimed, red for one that makes a night red, yellow for too few
/// runs.
Colour colour_of(const nightly::NightCell& cell);

/// Returns "new toy/borrow: SIGNATURE", with the whole signature.
std::string headline_of(const nightly::NightFinding& finding);

/// Returns "shows in 12 ways, in 3 variants"; "" if it shows in one.
std::string breadth_of(const nightly::NightFinding& finding);

/// Returns the result of replaying a finding that the night did not see, in words.
std::string absence_of(const nightly::NightFinding& finding);

/// Returns whether it is a symptom whose cause is unknown: its repairs were not tried, and a later
/// night may find that it belongs to another finding.
bool is_unsorted(const nightly::NightFinding& finding);

/// Returns findings that the night saw, of canaries or of the other variants: the new ones, or the
/// known ones.
std::vector<const nightly::NightFinding*> findings_in(const nightly::Night& night, bool news,
                                                      bool canaries);

/// Returns the findings that need attention, the most important first: those of sound variants,
/// those that do not replay, and new ones of canaries whose cause is known.
std::vector<const nightly::NightFinding*> reported_findings(const nightly::Night& night);

/// Returns the number of canaries.
std::size_t canary_count(const nightly::Night& night);

/// Returns "1 canary" or "8 canaries".
std::string counted_canaries(std::size_t count);

}  // namespace harness::reports
