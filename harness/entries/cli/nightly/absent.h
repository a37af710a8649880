// Absent: replays the open findings that a night did not see, and notes in the history whether they
// are gone.
#pragma once

#include <atomic>

#include "harness/nightly/deadline.h"
#include "harness/nightly/history.h"

namespace harness::entries {

/// Does so for a night that is whole. One that is stopped meanwhile notes nothing. Errors:
/// std::runtime_error with one line.
void replay_absent(nightly::History& history, const nightly::Night& night,
                   const nightly::Deadline& deadline, const std::atomic<bool>& stop);

}  // namespace harness::entries
