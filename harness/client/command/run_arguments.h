// SPDX-License-Identifier: Apache-2.0
// The command line of `run`.
#pragma once

#include <CLI/CLI.hpp>

#include "harness/client/command/run_client.h"

namespace harness::entries {

/// Adds the command to a program. Parsing fills in the options.
CLI::App* add_run(CLI::App& app, RunOptions& options);

/// Takes the command after "--" from the command line of `run`. Returns the number of words left.
int take_command(int argc, char** argv, RunOptions& options);

}  // namespace harness::entries
