// SPDX-License-Identifier: Apache-2.0
// Absent: replays the open findings that a night did not see, and records in the history whether
// they are gone.
#pragma once

#include <atomic>
#include <span>

#include "harness/nightly/command/programs/program_list.h"
#include "harness/nightly/deadline.h"
#include "harness/nightly/history.h"

namespace harness::entries {

/// Replays them for a complete night. If stopped, records nothing. Errors: std::runtime_error with
/// one line. A finding of a program is replayed with the command in the list; without one it is
/// *out of time*.
void replay_absent(nightly::History& history, const nightly::Night& night,
                   std::span<const NightProgram> programs, const nightly::Deadline& deadline,
                   const std::atomic<bool>& stop);

}  // namespace harness::entries
