// SPDX-License-Identifier: Apache-2.0
// Completion: a script with which a shell completes our command lines, generated from the options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace harness::entries {

/// Adds the command to a program. Parsing fills in the name of the shell.
CLI::App* add_completion(CLI::App& app, std::string& shell);

/// Returns the script for "bash", "zsh" or "fish". Errors: UsageError for another shell.
std::string completion(const CLI::App& app, const std::string& shell);

}  // namespace harness::entries
