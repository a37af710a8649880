// SPDX-License-Identifier: Apache-2.0
// Why: what let a fault happen, in plain sentences: the edge that is missing, or the reference, and
// the least repair with which the same program does not fail.
#pragma once

#include <string>

#include "harness/reports/story.h"
#include "harness/triage.h"

namespace harness::reports {

/// Tells both sides of the fault, and what nothing does between them. Ends with a newline.
std::string cause_in_words(const Telling& telling);

/// Tells the repair, and the result of it. Ends with a newline.
std::string remedy_in_words(const Remedy& remedy);

}  // namespace harness::reports
