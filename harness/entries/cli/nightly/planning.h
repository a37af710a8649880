// SPDX-License-Identifier: Apache-2.0
// Planning: the terms of a night, from its options.
//
// Errors: UsageError where a night is in the way, or is another one than the one to continue with.
#pragma once

#include "harness/entries/cli/nightly/commands.h"
#include "harness/entries/cli/nightly/night_folder.h"

namespace harness::entries {

/// Plans a night whose shards are run here, side by side, and leaves the plan in its folder; or
/// returns that of the night to continue with.
nightly::Plan plan_here(const NightlyOptions& options, const NightFolder& folder,
                        nightly::History& history);

/// Plans a night in as many shards as is asked for, which share its length.
nightly::Plan plan_elsewhere(const NightlyOptions& options, nightly::History& history);

}  // namespace harness::entries
