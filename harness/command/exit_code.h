// SPDX-License-Identifier: Apache-2.0
// Exit code: the result of a command of `afterlife`. A command is a function of its options that
// returns it; main() parses the options and turns exceptions into one line and a code.
//
// Errors: UsageError for a wrong command line (exit 3); any other std::exception for a problem of
// the environment (exit 2).
#pragma once

#include <stdexcept>

namespace harness::entries {

enum ExitCode : int {
  kAsClaimed = 0,     ///< Every claim holds; the replay equals the file; the proof holds.
  kNotAsClaimed = 1,  ///< A claim does not hold, or there were too few runs (`fuzz`).
  kWorld = 2,         ///< A problem with a file, the disk, or the GPU.
  kUsage = 3,
  kStopped = 4,    ///< Ctrl-C or TERM, before anything was found.
  kUndecided = 5,  ///< At least one benchmark is undecided (`gate`), or every claim (`prove`).
};

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace harness::entries
