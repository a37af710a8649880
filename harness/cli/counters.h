// SPDX-License-Identifier: Apache-2.0
// counters: counts the work of sound variants.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace harness::entries {

struct CountersOptions {
  std::string target;  ///< "" = all sound variants, "path" = those of a path, "path/variant" = one.
  std::string corpus = "corpus";
  bool json = false;
};

/// Runs the command and returns its exit code.
int counters(const CountersOptions& options);

/// Adds the command to a program. Parsing fills in the options.
CLI::App* add_counters(CLI::App& app, CountersOptions& options);

}  // namespace harness::entries
