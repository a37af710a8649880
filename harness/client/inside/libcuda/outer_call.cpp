// SPDX-License-Identifier: Apache-2.0
#include "harness/driver/cuda/outer_call.h"

#include "harness/driver/cuda/process.h"

/// Returns the outer call of the calling thread. Lifetime: that of the thread.
extern "C" __attribute__((visibility("default"))) harness::OuterCall* afterlife_outer_call();
harness::OuterCall* afterlife_outer_call() { return &harness::ProcessWorld::outer_call(); }
