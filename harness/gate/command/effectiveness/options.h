// SPDX-License-Identifier: Apache-2.0
// The command line of `effectiveness`.
#pragma once

#include <CLI/CLI.hpp>

#include "harness/gate/command/effectiveness/effectiveness.h"

namespace harness::entries {

/// Adds the command to a program. Parsing fills in the options.
CLI::App* add_effectiveness(CLI::App& app, EffectivenessOptions& options);

}  // namespace harness::entries
