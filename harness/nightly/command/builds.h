// SPDX-License-Identifier: Apache-2.0
// Nightly builds: replays the findings of a night in the other builds of this program, and records
// the results in the history.
#pragma once

#include <atomic>

#include "harness/nightly/deadline.h"
#include "harness/nightly/history.h"

namespace harness::entries {

/// Replays the findings of a complete night, and adds the results to the night. A missing build is
/// recorded too, with the command that builds it. If stopped, records nothing. Errors:
/// std::runtime_error with one line.
void replay_in_builds(nightly::History& history, nightly::Night& night,
                      const nightly::Deadline& deadline, const std::atomic<bool>& stop);

}  // namespace harness::entries
