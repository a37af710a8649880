// SPDX-License-Identifier: Apache-2.0
// The command line of `bisect`.
#pragma once

#include <CLI/CLI.hpp>

#include "harness/entries/cli/bisect/bisect.h"

namespace harness::entries {

/// Adds the options for the build of a revision.
void add_build_command(CLI::App& command, BuildCommand& build);

/// Adds the command to a program. Parsing fills in the options.
CLI::App* add_bisect(CLI::App& app, BisectOptions& options);

}  // namespace harness::entries
