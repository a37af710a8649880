// Steps: the trail of a run as text, for another build to lay its own beside.
#pragma once

#include <string>

#include "harness/triage.h"

namespace harness::entries {

/// One JSON object: the steps in order, an array each.
std::string steps_text(const Trail& trail);
/// Throws std::runtime_error, which names the file, where the text is none that steps_text() made.
Trail parse_steps(const std::string& text, const std::string& file);

}  // namespace harness::entries
