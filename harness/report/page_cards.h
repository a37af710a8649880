// SPDX-License-Identifier: Apache-2.0
// Page cards: the two events of a fault side by side, and the missing order between them: the
// object that died, and the use after its end.
#pragma once

#include <string_view>

#include "harness/report/html.h"
#include "harness/report/story_lines.h"

namespace harness::reports {

/// Returns one card. `kind`: its class in the style sheet: death, use, missing, found.
Markup card(std::string_view kind, std::string_view what, std::string_view headline,
            std::string_view where);

/// Returns elements of a page; empty if the run has no fault.
Markup cards(const Telling& telling, const Teller& teller);

}  // namespace harness::reports
