// SPDX-License-Identifier: Apache-2.0
// Fork point: the place at which a process stops and forks a child for each run.
#pragma once

#include <string>

namespace harness::entries {

/// Returns in a child for each run that is wanted by code that listens in this folder; the process
/// that calls does not come back. In the child stdout and stderr are the run's, timers continue,
/// and files that are read are where they were. `is_first`: no other process of the program called
/// the driver before. The calling thread has the driver, and so it has in the child.
void fork_runs(const std::string& folder, bool is_first);

/// Says, in a run that was forked, that it is about to end: what it has written to is copied ahead
/// for the next ones.
void note_end_of_run();

}  // namespace harness::entries
