// SPDX-License-Identifier: Apache-2.0
// Explored text: which kinds of choices a search made, and which it could not make.
#pragma once

#include <string>

#include "harness/client/outside/search/explored.h"

namespace harness::reports {

/// Returns a line for each of the two; "" if the search made no choice.
std::string explored_text(const client::Explored& explored);

}  // namespace harness::reports
