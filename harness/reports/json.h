// SPDX-License-Identifier: Apache-2.0
// Json: findings and replays for programs. The form of `fuzz --json` is results/schema.json.
#pragma once

#include <string>

#include "harness/reports/findings.h"
#include "harness/reports/story.h"

namespace harness::reports {

/// One object, without a newline at its end.
std::string to_json(const Findings& findings);

/// Returns a replay's outcome: no time and no folder in it, so equal replays give equal text.
/// `never_asked` names such choices of the file, in a sentence; or is empty.
std::string to_json(const Telling& telling, std::uint64_t trace_hash, std::string_view signature,
                    bool as_recorded, std::string_view never_asked = {});

}  // namespace harness::reports
