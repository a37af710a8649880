// SPDX-License-Identifier: Apache-2.0
// Nightly builds: replays what a night found in the other builds that stand beside this program,
// and notes in the history the result of it.
#pragma once

#include <atomic>

#include "harness/nightly/deadline.h"
#include "harness/nightly/history.h"

namespace harness::entries {

/// Does so for a night that is whole, and adds it to the night. A build that is not there is noted
/// as well, with what to do. One that is stopped meanwhile notes nothing. Errors:
/// std::runtime_error with one line.
void replay_in_builds(nightly::History& history, nightly::Night& night,
                      const nightly::Deadline& deadline, const std::atomic<bool>& stop);

}  // namespace harness::entries
