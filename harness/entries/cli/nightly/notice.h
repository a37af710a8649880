// SPDX-License-Identifier: Apache-2.0
// Nightly notice: a command of the user's that informs users of a night that they should look at.
#pragma once

#include <atomic>

#include "harness/entries/cli/nightly/commands.h"
#include "harness/nightly/history.h"

namespace harness::entries {

/// Runs the command of --notify where the night is red, where a night before it did not happen, and
/// where one of both was so of the night before and no longer is. It gets the line that sums up as
/// AFTERLIFE_LINE and, as AFTERLIFE_JSON, the path of the night's JSON in the history's folder. A
/// command that fails is a line on stderr: the night is as it is.
void notify(const NightlyOptions& options, nightly::History& history, const nightly::Night& night,
            const std::atomic<bool>& stop);

}  // namespace harness::entries
