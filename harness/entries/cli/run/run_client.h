// SPDX-License-Identifier: Apache-2.0
// Clients: `afterlife run`, and what `afterlife replay` does with its files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace harness::entries {

struct RunOptions {
  std::vector<std::string> command;  ///< A word each.
  std::uint64_t runs = 0;            ///< 0 = until `seconds`.
  double seconds = 0;                ///< 0 = until `runs`.
  double timeout_seconds = 60;       ///< One run of the program.
  std::uint64_t seed = 1;
  std::string strategy = "random_walk";
  std::string device = "sim";
  unsigned jobs = 1;  ///< Runs at a time.
  std::string out = "results/found";
  std::string name;              ///< The files of findings are called so; "" = as the program.
  std::string html;              ///< A folder for pages of the findings; "" = none.
  std::string sarif;             ///< The findings go here as SARIF 2.1.0; "" = nowhere.
  std::string junit;             ///< The same as JUnit's XML.
  std::string markdown;          ///< The same as a table and stories.
  std::string suppressions;      ///< A file, or "".
  std::string history;           ///< The folder of earlier searches, to compare with; "" = none.
  bool new_only = false;         ///< The exit code goes by findings that are new in the history.
  bool may_not_call = false;     ///< A program that calls no driver is as it should be.
  bool process_per_run = false;  ///< No run is forked from a process that stands at a question.
  bool failures = false;         ///< Calls that may fail are told to.
  bool forced = false;           ///< Python does the result of its version cannot, too.
  bool pedantic = false;         ///< Faults by the documentation alone are findings, too.
  bool json = false;
};

/// Runs a program again and again on the simulated driver. Returns the exit code.
int run(const RunOptions& options);

/// Returns whether the file holds a finding of run().
bool is_finding_file(const std::string& file);

/// Refuses findings of run() among the files. `command` names what does not take them. Errors:
/// UsageError.
void require_no_finding(const std::vector<std::string>& files, std::string_view command);

}  // namespace harness::entries
