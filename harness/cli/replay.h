// SPDX-License-Identifier: Apache-2.0
// replay: runs a reproducer or a finding, prints its story, and compares the result with the file.
#pragma once

#include <CLI/CLI.hpp>

#include "harness/client/command/replay_options.h"

namespace harness::entries {

/// Runs the command and returns its exit code.
int replay(const ReplayOptions& options);

/// Adds the command to a program. Parsing fills in the options.
CLI::App* add_replay(CLI::App& app, ReplayOptions& options);

}  // namespace harness::entries
