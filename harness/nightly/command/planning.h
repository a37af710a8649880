// SPDX-License-Identifier: Apache-2.0
// Planning: the terms of a night, from its options.
//
// Errors: UsageError if another night is in progress, or the one to continue has different terms.
#pragma once

#include "harness/nightly/command/commands.h"
#include "harness/nightly/command/night_folder.h"

namespace harness::entries {

/// Plans a night whose shards run concurrently on this machine, and writes the plan into its
/// folder. Returns the existing plan if a night is continued.
nightly::Plan plan_here(const NightlyOptions& options, const NightFolder& folder,
                        nightly::History& history);

/// Plans a night with the requested number of shards, which share its length.
nightly::Plan plan_elsewhere(const NightlyOptions& options, nightly::History& history);

}  // namespace harness::entries
