// SPDX-License-Identifier: Apache-2.0
// The command line of `price`.
#pragma once

#include <CLI/CLI.hpp>

#include "harness/cli/price/price.h"

namespace harness::entries {

/// Adds the command to a program. Parsing fills in the options.
CLI::App* add_price(CLI::App& app, PriceOptions& options);

}  // namespace harness::entries
