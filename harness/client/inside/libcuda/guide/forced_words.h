// SPDX-License-Identifier: Apache-2.0
// Forced words: explains why choices of a run are forced in its version of Python.
#pragma once

#include <string>

#include "harness/core/pick/pick.h"

namespace harness::entries {

/// Returns a sentence about the forced choices on the tape; "" if there are none.
std::string why_forced(const Tape& tape);

}  // namespace harness::entries
