// SPDX-License-Identifier: Apache-2.0
// Night words: how every view of a night names its parts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "harness/nightly/night.h"
#include "harness/reports/terminal.h"

namespace harness::reports {

/// Returns "path/variant".
std::string name_of(const nightly::NightCell& cell);

/// Returns green for what is as claimed, red for what makes a night red, yellow for too few runs.
Colour colour_of(const nightly::NightCell& cell);

/// Returns "new toy/borrow: SIGNATURE", the signature whole.
std::string headline_of(const nightly::NightFinding& finding);

/// Returns "shows in 12 ways, in 3 variants"; "" where it shows in one.
std::string breadth_of(const nightly::NightFinding& finding);

/// Returns what the replay of a finding that the night did not see came to, in words.
std::string absence_of(const nightly::NightFinding& finding);

/// Returns whether it is one way to fail that has no root yet: its repairs were not tried, and a
/// later night may find that it is part of another finding.
bool is_unsorted(const nightly::NightFinding& finding);

/// Returns findings that the night saw, of canaries or of the other variants: those that are news,
/// or those that are not.
std::vector<const nightly::NightFinding*> findings_in(const nightly::Night& night, bool news,
                                                      bool canaries);

/// Returns the findings to look at, the most important first: of sound variants, those that do not
/// replay, and sorted news of canaries.
std::vector<const nightly::NightFinding*> told_findings(const nightly::Night& night);

/// Returns how many variants there are to be caught.
std::size_t canary_count(const nightly::Night& night);

/// Returns "1 canary" or "8 canaries".
std::string counted_canaries(std::size_t count);

}  // namespace harness::reports
