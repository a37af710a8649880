// SPDX-License-Identifier: Apache-2.0
// Capture: reads the output of a process while it runs, and decides when to end the process.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "harness/base/process/pipe.h"
#include "harness/base/process/process.h"

namespace harness {

/// Lifetime: its clock starts with the constructor. Borrows `stop`.
class Capture {
 public:
  Capture(const ProcessOptions& options, const std::atomic<bool>& stop);

  /// Returns the pipe end that becomes stdout of the process.
  int out() const { return out_.ends[1]; }
  /// Returns the pipe end that becomes stderr of the process.
  int err() const { return err_.ends[1]; }
  /// Closes those ends in this process, after `process` has got them.
  void hand_over(pid_t process);
  /// Returns whether more output may come.
  bool is_open() const { return out_.ends[0] >= 0 || err_.ends[0] >= 0; }
  /// Returns the seconds since the beginning.
  double seconds() const;
  /// Reads available output. Waits up to a tenth of a second for it, or for input in `other`.
  /// Returns whether there is input in `other`.
  bool read_some(int other = -1);
  /// Returns whether the process takes too long, prints too much, or is not wanted any more.
  bool must_end();
  /// Notes that the process ended without being killed. If its time is up, its children still held
  /// the output.
  void ended_by_itself();
  /// Starts with the output from before the process was forked.
  void begin_with(const ProcessEnd& before);
  /// Returns the inodes of the pipes for stdout and stderr.
  const std::array<std::uint64_t, 2>& inodes() const { return inodes_; }
  /// Returns the output so far.
  const ProcessEnd& so_far() const { return ended_; }
  /// Returns the result of a process that ended with this code.
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
