// SPDX-License-Identifier: Apache-2.0
// minimize: removes every choice that the fault does not need.
#pragma once

#include <CLI/CLI.hpp>

#include "harness/client/command/replay_options.h"

namespace harness::entries {

/// Runs the command and returns its exit code.
int minimize(const MinimizeOptions& options);

/// Adds the command to a program. Parsing fills in the options.
CLI::App* add_minimize(CLI::App& app, MinimizeOptions& options);

}  // namespace harness::entries
