// SPDX-License-Identifier: Apache-2.0
// Short lock: protects a few instructions of our runtime and compiler libraries, also where they
// are linked into the program.
//
// `afterlife run` intercepts the locks of the C library, and would take those of our libraries for
// steps of the program, before which another thread may run. This one calls no function while no
// other thread holds it, which is always so among threads that take turns.
#pragma once

#include <atomic>
#include <thread>

namespace harness::entries {

/// For std::lock_guard. No driver call is made while it is held. Threads: any.
class ShortLock {
 public:
  /// Waits for the holder.
  void lock() {
    constexpr unsigned kTries = 1'000;
    for (unsigned tries = 1; is_held_.exchange(true, std::memory_order_acquire); ++tries)
      if (tries % kTries == 0) std::this_thread::yield();  // The system has preempted the holder.
  }
  /// Lets the next one in.
  void unlock() { is_held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> is_held_{false};
};

}  // namespace harness::entries
