// SPDX-License-Identifier: Apache-2.0
// Waiting: the common part of the functions that intercept waits.
#pragma once

#include <errno.h>
#include <time.h>

#include "harness/client/inside/libcuda/thread_hooks.h"

namespace harness::entries {

/// The driver's hooks; null until the driver passes them.
extern const ThreadHooks* hooks;

/// Converts the result of a wait to that of the C library's function, and sets errno.
inline int told(Woken woken) {
  if (woken == Woken::ready) return 0;
  errno = woken == Woken::timed_out ? ETIMEDOUT : EINTR;
  return -1;
}

/// Returns the time in ns that the program's clocks show in addition to the system's.
inline long skipped() {
  return hooks != nullptr ? hooks->skipped->load(std::memory_order_relaxed) : 0;
}

/// Returns a time that is later by this many ns, or earlier.
inline timespec later(timespec time, long nanoseconds) {
  constexpr long kSecond = 1'000'000'000;
  const long sum = time.tv_nsec + nanoseconds % kSecond;
  const long carry = sum < 0 ? -1 : sum / kSecond;
  return {time.tv_sec + nanoseconds / kSecond + carry, sum - carry * kSecond};
}

/// Returns the time on the system's clock at which the program's clock shows this time.
inline timespec on_system(const timespec& time) {
  const long more = skipped();
  const timespec systems = more == 0 ? time : later(time, -more);
  return systems.tv_sec < 0 && time.tv_sec >= 0 ? timespec{0, 0} : systems;
}

inline Woken ask_to_sleep(const Moment& end) {
  return hooks != nullptr ? hooks->sleeps(end) : Woken::unwatched;
}

}  // namespace harness::entries
