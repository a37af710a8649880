// SPDX-License-Identifier: Apache-2.0
// Turns: which process runs next, among those that share something.
//
// A process asks for a turn before a driver call, and gets it when no other process of the program
// runs. So only one process runs at a time, and the order depends on the program alone. A slow
// process waits until no other can run, or the others have had many turns.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "harness/client/outside/broker/runners.h"

namespace harness::client {

/// Threads: confined to one thread.
class Turns {
 public:
  struct Asking {
    std::uint32_t process = 0;
    pid_t id = 0;
    std::string path;        ///< Orders simultaneous requests.
    bool is_slow = false;    ///< Others run before it.
    unsigned passed_by = 0;  ///< Number of turns that others had since it asked.
  };
  struct Granted {
    std::uint32_t process = 0;
    std::string doubt;  ///< The reason why the system may have determined the order, or "".
  };

  void ask(Asking asking);
  /// Notes the end of a process.
  void forget(std::uint32_t process);
  bool are_wanted() const { return !asking_.empty(); }
  /// Returns whether no other process of the family runs or has a device with pending work, or the
  /// wait has lasted long enough.
  bool may_give(const std::vector<pid_t>& family, const std::set<pid_t>& known,
                const std::set<pid_t>& lagging);
  /// Returns the process that runs next.
  Granted give();
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::vector<Asking> asking_;
  Runners runners_;
  Clock::time_point since_{};  ///< Time of the last turn.
  bool was_long_ = false;      ///< The wait has reached its limit: other processes may run.
};

}  // namespace harness::client
