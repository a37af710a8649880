// SPDX-License-Identifier: Apache-2.0
// The looper path: what another task is in the middle of changing sends a reader into a loop
// without a turn and without an end, in about one run of twenty. For tests of what such a run costs
// a search.
#pragma once

#include "harness/run/run.h"

namespace harness::testing::looper {

extern const Scenario scenario;

/// How often a loop was entered in this process: each takes seconds.
extern int loop_count;

/// change in the writer, look in the reader: loops where the reader comes in between.
Tape small_program();

/// An op of the reader that does nothing.
Decision nap_in(std::uint32_t slot);

}  // namespace harness::testing::looper
