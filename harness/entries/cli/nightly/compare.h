// SPDX-License-Identifier: Apache-2.0
// Compare: runs `afterlife diverge` for each new finding, to find the function that behaves
// differently than in the program of the night before.
#pragma once

#include <atomic>

#include "harness/entries/cli/nightly/commands.h"
#include "harness/nightly/deadline.h"
#include "harness/nightly/history.h"

namespace harness::entries {

/// Compares at most 40 new findings of a night, and records the results in its history. A night
/// that was compared before is left unchanged. If the night before searched the same commit, or an
/// unknown one, a line on stderr says so. If stopped, records nothing. Returns whether something
/// was recorded.
bool compare_news(const NightlyOptions& options, nightly::History& history,
                  const nightly::Night& night, const nightly::Deadline& deadline,
                  const std::atomic<bool>& stop);

}  // namespace harness::entries
