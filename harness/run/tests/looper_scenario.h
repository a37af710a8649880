// SPDX-License-Identifier: Apache-2.0
// The looper path: in about one of twenty runs, a concurrent change sends a reader into an endless
// loop without a turn. For tests of the cost of such runs in a search.
#pragma once

#include "harness/run/run.h"

namespace harness::testing::looper {

extern const Scenario scenario;

/// How often a loop was entered in this process: each takes seconds.
extern int loop_count;

/// change in the writer, look in the reader: loops if the reader runs in between.
Tape small_program();

/// An op of the reader that does nothing.
Decision nap_in(std::uint32_t slot);

}  // namespace harness::testing::looper
