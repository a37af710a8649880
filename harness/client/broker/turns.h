// Turns: which of the processes that share something goes on next.
//
// A process asks for a turn before a call of the driver, and gets it once no other process of the
// program runs: so one of them goes on at a time, and the order is the program's. One that is slow
// waits until no other can go on, or others have had many turns.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "harness/client/broker/runners.h"

namespace harness::client {

/// Threads: confined to one.
class Turns {
 public:
  struct Asking {
    std::uint32_t process = 0;
    pid_t id = 0;
    std::string path;        ///< Orders those that ask at once.
    bool is_slow = false;    ///< Everybody else goes first.
    unsigned passed_by = 0;  ///< So many turns others had since.
  };
  struct Granted {
    std::uint32_t process = 0;
    std::string doubt;  ///< Says why the order may be the system's, or nothing.
  };

  void ask(Asking asking);
  /// A process has ended.
  void forget(std::uint32_t process);
  bool are_wanted() const { return !asking_.empty(); }
  /// Returns whether nobody else runs, of a family of processes some of which are known to share,
  /// or has a device that is about to go on by itself; or it was waited for long enough.
  bool may_give(const std::vector<pid_t>& family, const std::set<pid_t>& known,
                const std::set<pid_t>& lagging);
  /// Returns who goes on.
  Granted give();
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::vector<Asking> asking_;
  Runners runners_;
  Clock::time_point since_{};  ///< Nobody has had a turn since.
  bool was_long_ = false;      ///< Others may run: it was waited for long enough.
};

}  // namespace harness::client
