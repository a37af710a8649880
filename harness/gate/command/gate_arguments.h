// SPDX-License-Identifier: Apache-2.0
// The command line of `gate`.
#pragma once

#include <CLI/CLI.hpp>

#include "harness/gate/command/gate.h"

namespace harness::entries {

/// Adds the command to a program. Parsing fills in the options.
CLI::App* add_gate(CLI::App& app, GateOptions& options);

/// Takes the commands after "--" from the command line of `gate`. Returns the number of words left.
int take_commands(int argc, char** argv, GateOptions& options);

}  // namespace harness::entries
