// SPDX-License-Identifier: Apache-2.0
// Compare: has `afterlife diverge` say of each new finding by which function it behaves differently
// than with the program of the night before.
#pragma once

#include <atomic>

#include "harness/entries/cli/nightly/commands.h"
#include "harness/nightly/deadline.h"
#include "harness/nightly/history.h"

namespace harness::entries {

/// Compares the new findings of a night, at most 40, and notes in its history what that came to,
/// once: a night that was compared before stays as it is. Where the night before searched the same
/// commit, or none that is known, a line on stderr says so. If `stop` came first, nothing is
/// noted. Returns whether something was.
bool compare_news(const NightlyOptions& options, nightly::History& history,
                  const nightly::Night& night, const nightly::Deadline& deadline,
                  const std::atomic<bool>& stop);

}  // namespace harness::entries
