// SPDX-License-Identifier: Apache-2.0
// Explored text: says what a search tried, and what nothing could try.
#pragma once

#include <string>

#include "harness/client/search/explored.h"

namespace harness::reports {

/// Returns a line for what was explored and one for what was not; nothing where a search made no
/// choice.
std::string explored_text(const client::Explored& explored);

}  // namespace harness::reports
