// SPDX-License-Identifier: Apache-2.0
// Standstill: whether all threads of a process wait for each other, as far as the kernel shows.
//
// Source: proc(5). task/TID/syscall names the system call that a thread sleeps in, with its
// arguments. Locks, condition variables, semaphores and joins all sleep in futex(2).
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace harness {

enum class Standstill {
  none,      ///< A thread runs, or waits for something other than a thread of the process.
  possible,  ///< Each waits for another; some check periodically whether they may continue.
  certain,   ///< Each waits for another without a time limit.
};

/// Returns the threads of a process, in the order of their numbers.
std::vector<pid_t> threads_of(pid_t process);

/// Returns whether a thread of this process (the calling process or a child of it) waits for
/// another thread of that process.
Standstill standstill_of(pid_t process, pid_t thread);

/// Returns whether the thread has this name.
bool has_name(pid_t process, pid_t thread, const std::string& name);

/// Examines a process twice, so that threads which wake each other in turn do not count as waiting.
/// Linux only. A process that may not be examined is never at a standstill.
class StandstillWatch {
 public:
  /// Ignores threads with the name `but`.
  StandstillWatch(pid_t process, std::string but) : process_(process), but_(std::move(but)) {}

  /// Compares with the previous look.
  Standstill look();

 private:
  pid_t process_;
  std::string but_;
  std::string before_;  ///< How often each thread has slept; empty if one did not sleep.
};

}  // namespace harness
