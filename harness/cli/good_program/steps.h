// SPDX-License-Identifier: Apache-2.0
// Steps: the trail of a run as text, so that another build can compare it with its own.
#pragma once

#include <string>

#include "harness/search/triage/triage.h"

namespace harness::entries {

/// Returns one JSON object: the steps in order, an array each, and the places on the call stack at
/// the requested step.
std::string steps_text(const Followed& followed);
/// Throws std::runtime_error, which names the file, if steps_text() cannot have made the text.
Followed parse_steps(const std::string& text, const std::string& file);

}  // namespace harness::entries
