// SPDX-License-Identifier: Apache-2.0
// Command words: checks the command after "--", and suggests corrections.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace harness::entries {

/// Returns a command line as a user would type it.
std::string typed(const std::vector<std::string>& words);

/// Returns what to type if the command of `run` or `gate` stands before "--" or without it; else
/// "". The words are those of the command line, without the program's name.
std::string misplaced_command(const CLI::App& app, const std::vector<std::string>& words);

/// Refuses a command that is quoted as one word, or whose first word is a file that is not in PATH
/// or not executable. The message says what to type after `before`. Errors: UsageError;
/// std::runtime_error.
void require_command(const std::vector<std::string>& command, const std::string& before);

}  // namespace harness::entries
