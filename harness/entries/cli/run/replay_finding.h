// SPDX-License-Identifier: Apache-2.0
// Replay of a finding of `afterlife run`: its program again, under the choices that it records.
#pragma once

#include <atomic>
#include <string>

#include "harness/client/finding_file.h"
#include "harness/entries/cli/commands.h"

namespace harness::entries {

struct ReadFinding {
  client::FindingFile recorded;
  std::string text;  ///< All of the file.
};

/// Reads a finding, and starts nothing. Errors: std::runtime_error with one line.
ReadFinding read_finding(const std::string& file);

struct ReplayedFinding {
  client::FindingFile recorded;
  client::Client client;
  client::ClientRun run;
  std::string differs;  ///< How the run is not as recorded; empty if it is.
};

/// Runs the program of the finding once. `trusted` lets the command of a file start that something
/// else may have written. Errors: std::runtime_error.
ReplayedFinding run_finding(const std::string& file, bool trusted, const std::atomic<bool>& stop);

/// Replays one finding, and writes what is asked for. Returns the exit code. Errors: UsageError,
/// std::runtime_error.
int replay_finding(const ReplayOptions& options);

}  // namespace harness::entries
