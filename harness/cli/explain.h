// SPDX-License-Identifier: Apache-2.0
// explain: runs a reproducer with the instruments of its path.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace harness::entries {

struct ExplainOptions {
  std::string file;
  std::vector<std::string> without;  ///< Instruments, by name.
  bool json = false;
};

/// Runs the command and returns its exit code.
int explain(const ExplainOptions& options);

/// Adds the command to a program. Parsing fills in the options.
CLI::App* add_explain(CLI::App& app, ExplainOptions& options);

}  // namespace harness::entries
