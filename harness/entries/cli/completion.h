// Completion: what a shell needs to complete our command line, made from the command line itself.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace harness::entries {

/// The script for "bash", "zsh" or "fish". Errors: UsageError for another shell.
std::string completion(const CLI::App& app, const std::string& shell);

}  // namespace harness::entries
