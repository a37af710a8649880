// SPDX-License-Identifier: Apache-2.0
// Nightly commands: the search of a night, its shards, and the history that they are merged into.
//
// A history is a folder: history.sqlite, findings/ with the reproducers of new findings, page.html
// about the last night, and during a night night/ with its plan and its shards. Errors: as in
// harness/command/exit_code.h.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/command/exit_code.h"
#include "harness/nightly/quota.h"

namespace harness::entries {

/// Length of a night; at most one is set.
struct NightLength {
  std::uint64_t runs = 0;  ///< In total.
  double minutes = 0;
  double hours = 0;
};

struct NightlyOptions {
  NightLength length;
  std::optional<std::uint64_t> seed;  ///< None = the night's number.
  std::string history = "results/nightly";
  std::string target;  ///< "", "path" or "path/variant".
  std::string revision;
  std::string programs;  ///< A list of programs to search; "" = the paths.
  bool resume = false;
  bool json = false;
  std::string html;  ///< File for the night's page; "" = page.html beside the history.
  std::string junit;
  std::string sarif;
  std::string markdown;
  std::string metrics;
  std::string notify;                                 ///< A shell command; "" = none.
  std::uint64_t keep_bytes = nightly::kDefaultQuota;  ///< Size limit of the history; 0 = none.
  double every_hours = 24;                            ///< Time between two nights; 0 = irregular.
  std::size_t jobs = 0;              ///< Number of concurrent shards; 0 = number of cores.
  std::size_t shards = 1;            ///< Number of shards for `plan`.
  std::size_t index = 1;             ///< Number of the shard for `shard`.
  std::vector<std::string> folders;  ///< For `merge`; none = those of the current night.
  std::string file;                  ///< The export to `import`.
  std::string cause;                 ///< The finding to `show` or `mark`.
  std::string state;                 ///< "fixed", "ignored" or "open".
  std::string reason;
  std::uint64_t nights = 0;
};

/// Plans a night or continues one, runs all its shards, and merges them.
int nightly(const NightlyOptions& options);
/// Plans a night and prints a command for each shard.
int nightly_plan(const NightlyOptions& options);
/// Runs one shard of the current night.
int nightly_shard(const NightlyOptions& options);
/// Merges shards, and reports their last night.
int nightly_merge(const NightlyOptions& options);
/// Reports the last night again.
int nightly_report(const NightlyOptions& options);
/// Prints the history as lines of JSON.
int nightly_export(const NightlyOptions& options);
/// Creates a history from such lines.
int nightly_import(const NightlyOptions& options);
/// Prints the reproducer of a finding.
int nightly_show(const NightlyOptions& options);
/// Marks a finding as fixed, ignored or open.
int nightly_mark(const NightlyOptions& options);

/// Refuses a folder without a history: commands that only read do not create one.
void require_history(const std::string& folder);

/// Adds `afterlife nightly` with its subcommands and options.
CLI::App* add_nightly(CLI::App& app, NightlyOptions& options);
/// Runs the requested subcommand.
int run_nightly(const CLI::App& command, const NightlyOptions& options);

}  // namespace harness::entries
