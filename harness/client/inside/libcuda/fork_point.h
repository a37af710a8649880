// SPDX-License-Identifier: Apache-2.0
// Fork point: the place at which a process stops and forks a child for each run.
#pragma once

#include <string>

namespace harness::entries {

/// Returns in a child for each run that is requested through the socket in this folder; the calling
/// process does not return. In the child, stdout and stderr are those of the run, timers continue,
/// and files that are read have their old offsets. `is_first`: no other process of the program has
/// called the driver. The calling thread has the driver, and has it in the child, too.
void fork_runs(const std::string& folder, bool is_first);

/// Called in a forked run before its end: records the pages that it has written to, which are
/// copied in advance for later runs.
void note_end_of_run();

}  // namespace harness::entries
