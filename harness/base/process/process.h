// SPDX-License-Identifier: Apache-2.0
// Process: runs a command to its end and captures its output.
//
// The process has a separate process group, so that only the caller receives Ctrl-C, and so that
// its children end with it. It is killed if the caller is killed. Errors: std::runtime_error if it
// cannot be started.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

namespace harness {

/// A command line, one string for each word.
using Command = std::vector<std::string>;

struct ProcessEnd {
  int code = 0;            ///< Exit code, or minus the signal.
  bool timed_out = false;  ///< It was killed because it took too long.
  bool outlived = false;   ///< It ended normally, and left children that were killed.
  bool stopped = false;    ///< It was ended at the user's request.
  std::string hang;        ///< How it hung, in words that follow "the program "; else empty.
  double seconds = 0;      ///< Run time.
  std::string out;
  std::string err;  ///< The end of stderr.

  /// Returns the failure in words that follow "the base "; "" for success.
  std::string complaint(double timeout_seconds) const;
};

/// Limit of output, in bytes. A process that prints more is ended.
inline constexpr std::size_t kOutLimit = std::size_t{64} << 20;

/// Default number of bytes of stderr that are kept.
inline constexpr std::size_t kErrKept = 4096;

/// Watches a running process. Threads: called on the thread that reads the output.
class ProcessWatch {
 public:
  virtual ~ProcessWatch() = default;
  /// Called often, with the run time so far.
  virtual void passes(pid_t process, double seconds) = 0;
  /// Called when the time of the process is up. Returns whether to leave it a moment longer.
  virtual bool delays_end(pid_t process) = 0;
};

struct ProcessOptions {
  double timeout_seconds = 600;
  std::vector<std::string> environment;  ///< "NAME=value"; each replaces a variable of that name.
  std::size_t err_kept = kErrKept;       ///< Bytes kept from the end of stderr.
  bool fixed_addresses = false;          ///< The same addresses in each run, if the kernel allows
                                         ///< that.
  ProcessWatch* watch = nullptr;         ///< Borrowed.
};

/// Returns whether the kernel allows a program to have the same addresses in each run.
bool can_fix_addresses();

/// Runs the command in the current folder with empty stdin. Ends it if it takes too long, prints
/// more than 64 MiB, or if `stop` is set.
ProcessEnd run_process(const Command& command, const ProcessOptions& options,
                       const std::atomic<bool>& stop);

}  // namespace harness
