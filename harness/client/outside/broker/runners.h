// SPDX-License-Identifier: Apache-2.0
// Runners: determines from /proc which processes of a program run at the moment.
//
// A process that sleeps in a system call does nothing until another process or an external event
// wakes it. So if only one process runs at a time, the order depends on the program alone.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace harness::client {

/// Threads: confined to one thread. Linux: proc(5).
class Runners {
 public:
  /// Returns a process and its descendants.
  static std::vector<pid_t> family_of(pid_t first);
  /// Returns the last ancestor of a process whose parent is `parent` or `other`, or the process
  /// itself if there is none.
  static pid_t first_of_family(pid_t process, pid_t parent, pid_t other);

  /// Returns whether one of these processes runs, `resting` ones excluded. A process that runs for
  /// long without sleeping counts as polling, and is not waited for.
  bool any(const std::vector<pid_t>& family, const std::set<pid_t>& resting,
           const std::set<pid_t>& known);
  /// Notes a request of a process, which therefore does not poll.
  void asked(pid_t process) { running_.erase(process); }
  /// Returns a process that polled since the last call, or 0.
  pid_t take_polling();
  void clear();

 private:
  struct Running {
    std::uint64_t since = 0;  ///< Its processor time when it was first seen running.
  };

  std::map<pid_t, Running> running_;
  std::map<pid_t, std::uint64_t> patience_;  ///< Processor time after which it counts as polling.
  pid_t polling_ = 0;
};

}  // namespace harness::client
