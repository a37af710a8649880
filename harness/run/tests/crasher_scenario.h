// SPDX-License-Identifier: Apache-2.0
// The crasher path: one task reads a structure while another changes it, and each variant crashes
// in a different way. For tests of searches after a crash.
#pragma once

#include "harness/run/run.h"

namespace harness::testing::crasher {

extern const Scenario scenario;

/// change in the writer, look in the reader: crashes where the reader comes in between.
Tape small_program();

}  // namespace harness::testing::crasher
