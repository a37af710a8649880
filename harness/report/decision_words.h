// SPDX-License-Identifier: Apache-2.0
// Decision words: a choice in a reproducer as a sentence.
#pragma once

#include <string>

#include "harness/search/reproducer/reproducer.h"

namespace harness::reports {

/// Returns the choice in words, such as "script, slot 3: the op is launch".
std::string sentence(const Reproducer& reproducer, const Decision& decision);

}  // namespace harness::reports
