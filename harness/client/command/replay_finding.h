// SPDX-License-Identifier: Apache-2.0
// Replay of a finding of `afterlife run`: runs its program again with the recorded choices.
#pragma once

#include <atomic>
#include <string>

#include "harness/client/command/replay_options.h"
#include "harness/client/outside/finding_file.h"

namespace harness::entries {

struct ReadFinding {
  client::FindingFile recorded;
  std::string text;  ///< The whole file.
};

/// Reads a finding without starting anything. Errors: std::runtime_error with one line.
ReadFinding read_finding(const std::string& file);

struct ReplayedFinding {
  client::FindingFile recorded;
  client::Client client;
  client::ClientRun run;
  std::string differs;  ///< How the run differs from the record; "" if it does not.
};

/// Runs the program of the finding once. `trusted` permits the command of a file that another user
/// may have written. Errors: std::runtime_error.
ReplayedFinding run_finding(const std::string& file, bool trusted, const std::atomic<bool>& stop);

/// Replays one finding, and writes the requested files. Returns the exit code. Errors: UsageError,
/// std::runtime_error.
int replay_finding(const ReplayOptions& options);

}  // namespace harness::entries
