// SPDX-License-Identifier: Apache-2.0
// Minimize finding: minimizes a finding of `afterlife run` again, with new replays and a repair.
#pragma once

#include "harness/client/command/replay_options.h"

namespace harness::entries {

/// Writes the finding with the fewest choices that show it. Starts its command like `replay`.
/// Returns the exit code. Errors: UsageError, std::runtime_error.
int minimize_finding(const MinimizeOptions& options);

}  // namespace harness::entries
