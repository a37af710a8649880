// Unexpected: which word of a command line means nothing here, and what was meant.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace harness::entries {

/// "there is no command 'fuz'; did you mean 'fuzz'?" of the first such word; "" where there is
/// none.
std::string unexpected(const CLI::App& app, int argc, const char* const* argv);

/// Returns "; did you mean 'argpack/borrow'?" where a path and its variant are two words of a
/// command that was parsed; else "".
std::string variant_meant(const CLI::App& command);

}  // namespace harness::entries
