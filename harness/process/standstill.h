// Standstill: whether the threads of a process all wait for each other, as far as the kernel shows.
//
// Source: proc(5). task/TID/syscall names the system call that a thread sleeps in, with its
// arguments; locks, condition variables, semaphores and joins all sleep in futex(2).
#pragma once

#include <sys/types.h>

#include <string>

namespace harness {

enum class Standstill {
  none,      ///< A thread runs, or waits for something other than a thread of the process.
  possible,  ///< Each waits for another; some look now and then whether they may go on.
  certain,   ///< Each waits for another without a limit.
};

/// Returns whether a thread of this process waits for another one of it, and with no limit.
/// `memory_of` is the process: the calling one, or a child of it.
Standstill standstill_of(pid_t process, pid_t thread);

/// Looks at a process twice, so that threads which wake each other in turn are not taken to wait.
/// Linux; a process that may not be looked at is never at a standstill.
class StandstillWatch {
 public:
  explicit StandstillWatch(pid_t process) : process_(process) {}

  /// Compares with the look before.
  Standstill look();

 private:
  pid_t process_;
  std::string before_;  ///< How often each thread has slept; empty where one did not sleep.
};

}  // namespace harness
