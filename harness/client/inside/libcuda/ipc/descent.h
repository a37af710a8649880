// SPDX-License-Identifier: Apache-2.0
// Descent: identifies a process of the program by its ancestry: 1.2 is the second process that the
// first one started. Unlike process ids and the order of first calls, this is the same in each run.
//
// The preloaded library counts the processes (harness/client/inside/preload/descent.cpp).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>

namespace harness::entries {

/// Lifetime: that of the process. Plain data, because the library that counts depends on the C
/// library only.
struct Descent {
  static constexpr std::size_t kPathBytes = 192;
  char path[kPathBytes];
  unsigned started;  ///< Number of processes that this one has started.
  pid_t process;     ///< The process id.
};

/// Returns the path of this process; "" if the library is not loaded.
std::string descent_path();

/// Returns this process in words: "process 1.2 (python3 consumer.py)", or its rank if it belongs to
/// MPI.
std::string process_words();

/// Calls `ending` when the process is about to end by _exit().
void tell_ending(void (*ending)());

/// While it exists, a fork is not counted as another process of the program: it has the same path.
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
