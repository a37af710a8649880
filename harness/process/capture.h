// SPDX-License-Identifier: Apache-2.0
// Capture: what a process prints, read as it comes, and whether it is time to end the process.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "harness/process/pipe.h"
#include "harness/process/process.h"

namespace harness {

/// Lifetime: its time begins with it; it borrows `stop`.
class Capture {
 public:
  Capture(const ProcessOptions& options, const std::atomic<bool>& stop);

  /// Returns the end that becomes stdout of the process.
  int out() const { return out_.ends[1]; }
  /// Returns the end that becomes its stderr.
  int err() const { return err_.ends[1]; }
  /// Closes those ends here: the process, which has this number, has its own.
  void hand_over(pid_t process);
  /// Returns whether anything may still print.
  bool is_open() const { return out_.ends[0] >= 0 || err_.ends[0] >= 0; }
  /// Returns how long it has been there.
  double seconds() const;
  /// Reads what is there; waits for it, or for something to read in `other`, a tenth of a second.
  /// Returns whether there is something in `other`.
  bool read_some(int other = -1);
  /// Says whether it takes too long, prints too much, or is no longer wanted.
  bool must_end();
  /// Hears that nothing had to end it. If its time is up, others still had its output.
  void ended_by_itself();
  /// Takes what was printed before the process was forked.
  void begin_with(const ProcessEnd& before);
  /// Returns the inodes of the pipes for stdout and stderr.
  const std::array<std::uint64_t, 2>& inodes() const { return inodes_; }
  /// Returns what was read so far.
  const ProcessEnd& so_far() const { return ended_; }
  /// Returns how it ended: with this code.
  ProcessEnd end(int code);

 private:
  Pipe out_, err_;
  std::array<std::uint64_t, 2> inodes_{};
  ProcessEnd ended_;
  double timeout_seconds_;
  std::size_t err_kept_;
  ProcessWatch* watch_;
  pid_t process_ = 0;
  const std::atomic<bool>& stop_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace harness
