// SPDX-License-Identifier: Apache-2.0
// The crasher path: one task looks at what another is in the middle of changing, and each variant
// dies of it in its own way. For tests of what is left of a search after a crash.
#pragma once

#include "harness/run/run.h"

namespace harness::testing::crasher {

extern const Scenario scenario;

/// change in the writer, look in the reader: crashes where the reader comes in between.
Tape small_program();

}  // namespace harness::testing::crasher
