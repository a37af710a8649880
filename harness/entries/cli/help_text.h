// Help text: a command's help, as wide as the terminal.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace harness::entries {

/// Breaks lines that are wider: a description goes on below its beginning, a command line behind a
/// backslash.
std::string help_in_width(std::string_view text, std::size_t width);

/// Returns the help of the command that was asked for, in the width of stdout.
std::string help_text(const CLI::App& app);

}  // namespace harness::entries
