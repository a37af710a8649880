// SPDX-License-Identifier: Apache-2.0
// Unjudged: why a search over someone's program says nothing of it.
#pragma once

#include <string>

#include "harness/client/search/search.h"

namespace harness::entries {

/// Says why nothing can be judged, if so. A program that calls no driver is fine where that was
/// said.
std::string unjudged(const client::SearchResult& result);

}  // namespace harness::entries
