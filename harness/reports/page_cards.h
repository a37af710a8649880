// Page cards: the two moments of a fault side by side, and what is missing between them: what died,
// who still used it.
#pragma once

#include <string>

#include "harness/reports/story_lines.h"

namespace harness::reports {

/// Returns elements of a page; empty where the run has no fault.
std::string cards(const Telling& telling, const Teller& teller);

}  // namespace harness::reports
