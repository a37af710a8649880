// SPDX-License-Identifier: Apache-2.0
// list: prints the paths with their variants, windows and operations, the strategies and the
// devices.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace harness::entries {

struct ListOptions {
  std::string path;  ///< "" = all paths.
  bool json = false;
};

/// Runs the command and returns its exit code.
int list(const ListOptions& options);

/// Adds the command to a program. Parsing fills in the options.
CLI::App* add_list(CLI::App& app, ListOptions& options);

}  // namespace harness::entries
