// SPDX-License-Identifier: Apache-2.0
// Waits: joins, semaphores, futexes, sleeps, clocks and waits for external events, while threads
// take turns.
#pragma once

#include "harness/client/inside/libcuda/turn_hooks.h"

namespace harness::entries {

/// Fills in the hooks for these.
void add_waits(TurnHooks& hooks);

}  // namespace harness::entries
