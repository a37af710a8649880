// SPDX-License-Identifier: Apache-2.0
// triage: sorts reproducers by root cause.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace harness::entries {

struct TriageCommandOptions {
  std::vector<std::string> files;     ///< Folders stand for the reproducers in them.
  std::optional<std::uint64_t> runs;  ///< Number of other schedules in which a repair must work.
  std::string good_program;           ///< A program that shows none of the faults; "" = none.
  bool json = false;
};

/// Runs the command and returns its exit code.
int triage(const TriageCommandOptions& options);

/// Adds the command to a program. Parsing fills in the options.
CLI::App* add_triage(CLI::App& app, TriageCommandOptions& options);

}  // namespace harness::entries
