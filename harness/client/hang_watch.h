// Hang watch: notices that a run hangs, and has the process say where its threads are.
//
// A process that waits for itself is asked by a signal, which the driver in it handles: it knows
// which threads take turns. It answers in its report and ends, or goes on where it does not hang.
#pragma once

#include <chrono>
#include <optional>

#include "harness/process/process.h"
#include "harness/process/standstill.h"

namespace harness::client {

/// The name of a thread of the driver's that sees to work which lags while the program waits: the
/// process itself knows whether it still may end the wait.
inline constexpr const char* kIdleThread = "afterlife-idle";

/// The signal that asks, of those that the system leaves to programs.
int asking_signal();

/// Tells the process why it is asked: bits of the signal's value.
enum AskedBecause : int {
  kMayStand = 0,
  kAllStand = 1,      ///< Each thread waits for another without a limit, the kernel says.
  kMainStands = 2,    ///< The main thread does.
  kTakesTooLong = 4,  ///< Its time is up.
  kSaysItsPlace = 8,  ///< One thread of the process asks another.
};

/// Asks a thread, with a reason that is none or several of those. Returns whether it could be
/// asked.
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
  std::optional<Clock::time_point> asked_at_;  ///< When its time was up.
};

}  // namespace harness::client
