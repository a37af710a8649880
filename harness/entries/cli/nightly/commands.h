// SPDX-License-Identifier: Apache-2.0
// Nightly commands: the search of a night, its shards, and the history that they are merged into.
//
// A history is a folder: history.sqlite, findings/ with the reproducers of what was news, page.html
// about the last night, and while a night is under way night/ with its plan and its shards.
// Errors: as commands.h says.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/entries/cli/commands.h"
#include "harness/nightly/quota.h"

namespace harness::entries {

/// How long a night takes; at most one of them.
struct NightLength {
  std::uint64_t runs = 0;  ///< In all.
  double minutes = 0;
  double hours = 0;
};

struct NightlyOptions {
  NightLength length;
  std::optional<std::uint64_t> seed;  ///< None = the number of the night.
  std::string history = "results/nightly";
  std::string target;  ///< "", "path" or "path/variant".
  std::string revision;
  std::string programs;  ///< A list of programs, which the night searches; "" = the paths.
  bool resume = false;
  bool json = false;
  std::string html;  ///< File for the night's page; "" = page.html beside the history.
  std::string junit;
  std::string sarif;
  std::string markdown;
  std::string metrics;
  std::string notify;  ///< A command for the shell; "" = no one is told.
  std::uint64_t keep_bytes = nightly::kDefaultQuota;  ///< Size that the history may have; 0 = any.
  double every_hours = 24;   ///< The time from night to night; 0 = there is no rhythm.
  std::size_t jobs = 0;      ///< Shards that are run at a time; 0 = as many as there are cores.
  std::size_t shards = 1;    ///< To `plan`.
  std::size_t index = 1;     ///< The one to run by `shard`.
  std::vector<std::string> folders;  ///< To `merge`; none = those of the night under way.
  std::string file;                  ///< To `import`.
  std::string cause;                 ///< The finding to `show` or `mark`.
  std::string state;                 ///< "fixed", "ignored" or "open".
  std::string reason;
  std::uint64_t nights = 0;
};

/// Plans a night, or continues with one, runs all of its shards, and merges them.
int nightly(const NightlyOptions& options);
/// Plans a night and prints a command for each shard.
int nightly_plan(const NightlyOptions& options);
/// Runs one shard of the night under way.
int nightly_shard(const NightlyOptions& options);
/// Merges shards and reports the last night that they are of.
int nightly_merge(const NightlyOptions& options);
/// Reports the last night again.
int nightly_report(const NightlyOptions& options);
/// Prints the history as lines of JSON.
int nightly_export(const NightlyOptions& options);
/// Makes a history of such lines.
int nightly_import(const NightlyOptions& options);
/// Prints the reproducer of a finding.
int nightly_show(const NightlyOptions& options);
/// Says of a finding that it is fixed, ignored or open.
int nightly_mark(const NightlyOptions& options);

/// Refuses a folder that holds no history: looking at one makes none.
void require_history(const std::string& folder);

/// Adds `afterlife nightly` with all that it can be told to do.
CLI::App* add_nightly(CLI::App& app, NightlyOptions& options);
/// Runs the part of it that was asked for.
int run_nightly(const CLI::App& command, const NightlyOptions& options);

}  // namespace harness::entries
