// SPDX-License-Identifier: Apache-2.0
// Nightly notice: runs a user's command after a night that needs attention.
#pragma once

#include <atomic>

#include "harness/nightly/command/commands.h"
#include "harness/nightly/history.h"

namespace harness::entries {

/// Runs the command of --notify if the night is red, if an earlier night is missing, or if one of
/// these was so for the night before and no longer is. The command gets the summary line as
/// AFTERLIFE_LINE, and the path of the night's JSON in the history's folder as AFTERLIFE_JSON. Its
/// failure is reported on stderr, and does not change the result.
void notify(const NightlyOptions& options, nightly::History& history, const nightly::Night& night,
            const std::atomic<bool>& stop);

}  // namespace harness::entries
