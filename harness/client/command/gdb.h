// SPDX-License-Identifier: Apache-2.0
// gdb: a replay that stops where the fault is reported, in the thread that has it.
#pragma once

#include "harness/client/command/replay_options.h"

namespace harness::entries {

/// Replays the file in gdb: interactively in a terminal; otherwise it prints the stack and ends.
/// Returns gdb's exit code. Errors: UsageError, std::runtime_error with one line.
int replay_in_gdb(const ReplayOptions& options);

}  // namespace harness::entries
