// SPDX-License-Identifier: Apache-2.0
// Unexpected: finds an unknown word in a command line, and suggests a known one.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace harness::entries {

/// Returns a message such as "there is no command 'fuz'; did you mean 'fuzz'?" for the first
/// unknown word; "" if there is none.
std::string unexpected(const CLI::App& app, int argc, const char* const* argv);

/// Returns "; did you mean 'argpack/borrow'?" if a path and its variant are separate words of a
/// parsed command; else "".
std::string variant_meant(const CLI::App& command);

}  // namespace harness::entries
