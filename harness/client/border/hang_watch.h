// SPDX-License-Identifier: Apache-2.0
// Hang watch: detects that a run hangs, and makes the process report where its threads are.
//
// A process whose threads all wait gets a signal. The driver in it handles the signal, because it
// knows which threads take turns: it writes the report and ends the process, or continues if the
// process does not hang.
#pragma once

#include <chrono>
#include <optional>

#include "harness/base/process/process.h"
#include "harness/base/process/standstill.h"

namespace harness::client {

/// Name of the driver's thread that advances late work while the program waits. Only the process
/// knows whether it may still end the wait.
inline constexpr const char* kIdleThread = "afterlife-idle";

/// The signal that requests a report, one that the system leaves to programs.
int asking_signal();

/// The reason of the request: bits of the signal's value.
enum AskedBecause : int {
  kMayStand = 0,
  kAllStand = 1,      ///< According to the kernel, each thread waits for another without a limit.
  kMainStands = 2,    ///< The main thread does, too.
  kTakesTooLong = 4,  ///< Its time is up.
  kSaysItsPlace = 8,  ///< One thread of the process asks another.
};

/// Sends the signal to a thread, with any set of these reasons. Returns whether it was sent.
bool ask_thread(pid_t process, pid_t thread, int because);

/// Lifetime: that of a run.
class HangWatch final : public ProcessWatch {
 public:
  void passes(pid_t process, double seconds) override;
  bool delays_end(pid_t process) override;

 private:
  using Clock = std::chrono::steady_clock;

  std::optional<StandstillWatch> threads_;
  double next_look_ = 0.1;                     ///< In seconds from the beginning of the run.
  std::optional<Clock::time_point> asked_at_;  ///< Time at which its limit was reached.
};

}  // namespace harness::client
