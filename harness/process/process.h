// SPDX-License-Identifier: Apache-2.0
// Process: a command that is run to its end, with what it printed.
//
// It has a process group of its own, so that Ctrl-C reaches the caller alone, and so that what it
// started ends with it. It is ended where the caller is killed. Errors: std::runtime_error if it
// cannot be started.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

namespace harness {

/// A command line, a word each.
using Command = std::vector<std::string>;

struct ProcessEnd {
  int code = 0;            ///< Exit code, or minus the signal.
  bool timed_out = false;  ///< ProcessEnd by us, as it took too long.
  bool outlived = false;   ///< It ended by itself, and we ended those that it had started.
  bool stopped = false;    ///< ProcessEnd by us, as the user wanted it.
  std::string hang;        ///< Says how it hung, in words that follow "the program "; else empty.
  double seconds = 0;      ///< How long it ran.
  std::string out;
  std::string err;  ///< The end of stderr.

  /// Returns how it ended where that is not success, in words that follow "the base "; else "".
  std::string complaint(double timeout_seconds) const;
};

/// A process that prints more is ended.
inline constexpr std::size_t kOutLimit = std::size_t{64} << 20;

/// How much of stderr is kept, where no one says differently.
inline constexpr std::size_t kErrKept = 4096;

/// Watches a process that runs. Threads: called on the one that reads the output.
class ProcessWatch {
 public:
  virtual ~ProcessWatch() = default;
  /// The process has run for this long. Called often.
  virtual void passes(pid_t process, double seconds) = 0;
  /// The time of the process is up. Returns whether it is left a moment longer.
  virtual bool delays_end(pid_t process) = 0;
};

struct ProcessOptions {
  double timeout_seconds = 600;
  std::vector<std::string> environment;  ///< "NAME=value", each in place of what has the name now.
  std::size_t err_kept = kErrKept;       ///< In bytes, of its end.
  bool fixed_addresses = false;          ///< The same ones in each run, if they can be fixed.
  ProcessWatch* watch = nullptr;         ///< Borrowed.
};

/// Returns whether the kernel lets a program have the same addresses in each run.
bool can_fix_addresses();

/// Runs the command in this folder with nothing on stdin. Ends it where it takes too long, prints
/// more than 64 MiB, or where `stop` is set.
ProcessEnd run_process(const Command& command, const ProcessOptions& options,
                       const std::atomic<bool>& stop);

}  // namespace harness
