// SPDX-License-Identifier: Apache-2.0
// Night tapes: how many tapes of earlier nights still work, for a page and in words.
#pragma once

#include <string>

#include "harness/nightly/night.h"
#include "harness/report/html.h"

namespace harness::reports {

/// Returns "120 of 122 tapes of earlier nights still reach what they reached, 3 were not replayed";
/// "" if there were none.
std::string survival_of(const nightly::NightTapes& tapes);

/// Returns the section of a page with a row for each variant some of whose tapes fail; "" if no
/// variant has tapes.
Markup tapes_section(const nightly::Night& night);

}  // namespace harness::reports
