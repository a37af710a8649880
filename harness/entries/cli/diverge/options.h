// SPDX-License-Identifier: Apache-2.0
// The command line of `diverge`.
#pragma once

#include <CLI/CLI.hpp>

#include "harness/entries/cli/diverge/diverge.h"

namespace harness::entries {

/// Adds the command to a program. Parsing fills in the options.
CLI::App* add_diverge(CLI::App& app, DivergeOptions& options);

}  // namespace harness::entries
