// SPDX-License-Identifier: Apache-2.0
// Clients: `afterlife run`, and the part of `afterlife replay` that handles its files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace harness::entries {

struct RunOptions {
  std::vector<std::string> command;  ///< One element per word.
  std::uint64_t runs = 0;            ///< 0 = until `seconds`.
  double seconds = 0;                ///< 0 = until `runs`.
  double timeout_seconds = 60;       ///< Time limit of one run.
  std::uint64_t seed = 1;
  std::string strategy = "random_walk";
  std::string device = "sim";
  unsigned jobs = 1;  ///< Number of concurrent runs.
  std::string out = "results/found";
  std::string name;              ///< First part of the file names; "" = the program's name.
  std::string html;              ///< Folder for pages of the findings; "" = none.
  std::string sarif;             ///< File for the findings in SARIF 2.1.0; "" = none.
  std::string junit;             ///< File for the findings in JUnit's XML; "" = none.
  std::string markdown;          ///< File for the findings as a table and stories; "" = none.
  std::string suppressions;      ///< File of suppressions; "" = none.
  std::string history;           ///< Folder of earlier searches to compare with; "" = none.
  bool new_only = false;         ///< The exit code counts only findings new in the history.
  bool may_not_call = false;     ///< A program that does not call the driver is no error.
  bool process_per_run = false;  ///< Starts a process for each run instead of forking.
  bool failures = false;         ///< Injects errors into calls that may fail.
  bool forced = false;           ///< Also makes choices that this version of Python cannot make.
  bool pedantic = false;         ///< Faults by the documentation alone are findings, too.
  bool json = false;
};

class EarlierSearches;
/// Opens the folder of RunOptions::history.
using OpenEarlierSearches = std::unique_ptr<EarlierSearches>(const RunOptions& options);

/// Runs a program many times on the simulated driver. Returns the exit code.
int run(const RunOptions& options, OpenEarlierSearches* open_earlier);

/// Returns whether the file is a finding of run().
bool is_finding_file(const std::string& file);

/// Refuses findings of run() among the files, for the command `command`. Errors: UsageError.
void require_no_finding(const std::vector<std::string>& files, std::string_view command);

}  // namespace harness::entries
