// SPDX-License-Identifier: Apache-2.0
// Json: findings and replays for other programs. The schema of `fuzz --json` is
// results/schema.json.
#pragma once

#include <string>

#include "harness/report/findings.h"
#include "harness/report/story.h"

namespace harness::reports {

/// Returns one object without a newline at its end.
std::string to_json(const Findings& findings);

/// Returns a replay's outcome, without times and folders: equal replays give equal text.
/// `never_asked`: a sentence about choices of the file that were never made, or "".
std::string to_json(const Telling& telling, std::uint64_t trace_hash, std::string_view signature,
                    bool as_recorded, std::string_view never_asked = {});

}  // namespace harness::reports
