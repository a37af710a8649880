// SPDX-License-Identifier: Apache-2.0
// Night sentence: the result of a night in one line, the same in all reports.
#pragma once

#include <string>

#include "harness/nightly/night.h"

namespace harness::reports {

/// Returns the result of a night: sound variants first, then other reasons for red, then canaries.
/// Counts of zero are left out.
std::string sentence_of(const nightly::Night& night);

/// Returns "red", "incomplete" (shards or nights are missing) or "green".
std::string_view verdict_of(const nightly::Night& night);

/// Returns the circumstances: "night 3, 2026-11-29 02:10 UTC, revision abc, 5 minutes, ...".
std::string circumstances_of(const nightly::Night& night);

}  // namespace harness::reports
