// SPDX-License-Identifier: Apache-2.0
// Descent: which process of the program this is, by who started it: the second that the first
// process started is 1.2. Other than the system's numbers, and the order of first calls, that is
// the same in each run.
//
// The library that is loaded before all others counts (harness/entries/preload/descent.cpp).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>

namespace harness::entries {

/// Lifetime: the process's. Plain data: code that counts needs nothing but the C library.
struct Descent {
  static constexpr std::size_t kPathBytes = 192;
  char path[kPathBytes];
  unsigned started;  ///< This many processes this one has started.
  pid_t process;     ///< The system's number for it.
};

/// Returns the path of this process; empty if nothing counts.
std::string descent_path();

/// Returns this process in words: "process 1.2 (python3 consumer.py)", or by its rank where it is
/// one of MPI's.
std::string process_words();

/// Has something hear that the process is about to end by _exit().
void tell_ending(void (*ending)());

/// While it lives, a fork is not a process of the program: it continues as this one.
class SameDescent {
 public:
  SameDescent();
  ~SameDescent();
  SameDescent(const SameDescent&) = delete;
  SameDescent& operator=(const SameDescent&) = delete;

 private:
  Descent kept_{};
};

}  // namespace harness::entries
