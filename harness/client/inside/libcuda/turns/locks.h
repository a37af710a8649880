// SPDX-License-Identifier: Apache-2.0
// Locks: the C library's locks, conditions, barriers and once, while threads take turns.
#pragma once

#include "harness/client/inside/libcuda/turn_hooks.h"

namespace harness::entries {

/// Fills in the hooks for these.
void add_locks(TurnHooks& hooks);

}  // namespace harness::entries
