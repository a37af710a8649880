// SPDX-License-Identifier: Apache-2.0
// Steps: the trail of a run as text, for another build to lay its own beside.
#pragma once

#include <string>

#include "harness/triage.h"

namespace harness::entries {

/// One JSON object: the steps in order, an array each, and the places that are running at the one
/// that was asked about.
std::string steps_text(const Followed& followed);
/// Throws std::runtime_error, which names the file, if the text is none that steps_text() made.
Followed parse_steps(const std::string& text, const std::string& file);

}  // namespace harness::entries
