// SPDX-License-Identifier: Apache-2.0
// Why: the reason for a fault in plain sentences: the missing order or reference, and the smallest
// repair with which the same program does not fail.
#pragma once

#include <string>

#include "harness/report/story.h"
#include "harness/search/triage/triage.h"

namespace harness::reports {

/// Returns both sides of the fault, and what is missing between them. Ends with a newline.
std::string cause_in_words(const Telling& telling);

/// Returns the repair and its result. Ends with a newline.
std::string remedy_in_words(const Remedy& remedy);

}  // namespace harness::reports
