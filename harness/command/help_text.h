// SPDX-License-Identifier: Apache-2.0
// Help text: a command's help, wrapped to the width of the terminal.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace harness::entries {

/// Breaks lines that are longer. A description continues in its column, a command line after a
/// backslash.
std::string help_in_width(std::string_view text, std::size_t width);

/// Returns the help of the requested command, wrapped to the width of stdout.
std::string help_text(const CLI::App& app);

}  // namespace harness::entries
