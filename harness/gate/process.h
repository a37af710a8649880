// Process: a command that is run to its end, with what it printed.
//
// It has a process group of its own, so that Ctrl-C reaches the gate alone, and so that what it
// started ends with it. It is ended where the gate is killed.
// Errors: std::runtime_error where it cannot be started.
#pragma once

#include <atomic>
#include <string>
#include <vector>

namespace harness::gate {

/// A command line, a word each.
using Command = std::vector<std::string>;

struct Ended {
  int code = 0;            ///< Exit code, or minus the signal.
  bool timed_out = false;  ///< Ended by us, as it took too long.
  bool stopped = false;    ///< Ended by us, as the user wanted it.
  std::string out;
  std::string err;  ///< The end of stderr.

  /// Returns how it ended where that is no success, in words that follow "the base "; else "".
  std::string complaint(double timeout_seconds) const;
};

/// Runs the command in this folder with nothing on stdin. Ends it where it takes longer than
/// `timeout_seconds`, prints more than 64 MiB, or where `stop` is set.
Ended run_process(const Command& command, double timeout_seconds, const std::atomic<bool>& stop);

}  // namespace harness::gate
