// SPDX-License-Identifier: Apache-2.0
// prove: runs the smallest program of each window with every set of at most k further choices.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace harness::entries {

struct ProveOptions {
  std::string target;  ///< "path" or "path/variant".
  int decisions = -1;  ///< Parameter k; -1 = the most up to 3 that 200 000 runs per window allow.
  std::string window;
  std::string programs = "corpus";
  bool json = false;
};

/// Runs the command and returns its exit code.
int prove(const ProveOptions& options);

/// Adds the command to a program. Parsing fills in the options.
CLI::App* add_prove(CLI::App& app, ProveOptions& options);

}  // namespace harness::entries
