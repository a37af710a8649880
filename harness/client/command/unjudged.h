// SPDX-License-Identifier: Apache-2.0
// Unjudged: the reason why a search says nothing about a program.
#pragma once

#include <string>

#include "harness/client/outside/search/search.h"

namespace harness::entries {

/// Returns why nothing can be judged, or "". A program that does not call the driver is accepted if
/// the options say so.
std::string unjudged(const client::SearchResult& result);

}  // namespace harness::entries
