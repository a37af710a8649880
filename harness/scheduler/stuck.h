// SPDX-License-Identifier: Apache-2.0
// Stuck: the fault of a run in which no task is ready.
#pragma once

#include "harness/fault.h"
#include "harness/scheduler/tasks.h"

namespace harness::scheduling {

/// Returns a deadlock, where a task waits that must finish; else a livelock: all of those poll.
Fault stuck_fault(const Tasks& tasks);

}  // namespace harness::scheduling
