// SPDX-License-Identifier: Apache-2.0
// Stuck: the fault of a run in which no task is ready.
#pragma once

#include "harness/core/fault/fault.h"
#include "harness/core/scheduler/tasks.h"

namespace harness::scheduling {

/// Returns a deadlock if a task that must finish waits; else a livelock, because all of them poll.
Fault stuck_fault(const Tasks& tasks);

}  // namespace harness::scheduling
