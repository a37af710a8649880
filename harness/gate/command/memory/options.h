// SPDX-License-Identifier: Apache-2.0
// The command line of `memory`.
#pragma once

#include <CLI/CLI.hpp>

#include "harness/gate/command/memory/memory.h"

namespace harness::entries {

/// Adds the command to a program. Parsing fills in the options.
CLI::App* add_memory(CLI::App& app, MemoryOptions& options);

}  // namespace harness::entries
