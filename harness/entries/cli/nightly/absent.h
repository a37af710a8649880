// SPDX-License-Identifier: Apache-2.0
// Absent: replays the open findings that a night did not see, and notes in the history whether they
// are gone.
#pragma once

#include <atomic>
#include <span>

#include "harness/entries/cli/nightly/programs/program_list.h"
#include "harness/nightly/deadline.h"
#include "harness/nightly/history.h"

namespace harness::entries {

/// Does so for a night that is whole. One that is stopped meanwhile notes nothing. Errors:
/// std::runtime_error with one line. Findings of a program are replayed by its command in the list;
/// those of none are *out of time*.
void replay_absent(nightly::History& history, const nightly::Night& night,
                   std::span<const NightProgram> programs, const nightly::Deadline& deadline,
                   const std::atomic<bool>& stop);

}  // namespace harness::entries
