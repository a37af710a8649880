// SPDX-License-Identifier: Apache-2.0
// Shards at once: those of a night that one machine runs side by side, each in a process of its
// own.
#pragma once

#include <atomic>
#include <cstddef>

#include "harness/entries/cli/nightly/commands.h"
#include "harness/entries/cli/nightly/night_folder.h"

namespace harness::entries {

/// Runs the shards of the night under way in the history of the options that are not whole yet,
/// `jobs` at a time, by `nightly shard`, until all have ended or `stop` is set; shows on stderr how
/// far they are. One that ends differently leaves what it has finished: who runs it again continues
/// from there, and meets its error.
void run_at_once(const NightlyOptions& options, const nightly::Plan& plan, std::size_t jobs,
                 const std::atomic<bool>& stop);

}  // namespace harness::entries
