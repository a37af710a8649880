// SPDX-License-Identifier: Apache-2.0
// Shards at once: runs the shards of a night concurrently on one machine, each in a separate
// process.
#pragma once

#include <atomic>
#include <cstddef>

#include "harness/nightly/command/commands.h"
#include "harness/nightly/command/night_folder.h"

namespace harness::entries {

/// Runs the incomplete shards of the current night, at most `jobs` at a time, by `nightly shard`,
/// until all have ended or `stop` is set. Shows the progress on stderr. A shard that fails keeps
/// its finished cells. Running it again continues it, and reports its error.
void run_at_once(const NightlyOptions& options, const nightly::Plan& plan, std::size_t jobs,
                 const std::atomic<bool>& stop);

}  // namespace harness::entries
