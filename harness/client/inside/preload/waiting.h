// SPDX-License-Identifier: Apache-2.0
// Waiting: the common part of the functions that intercept waits.
#pragma once

#include <errno.h>

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

inline Woken ask_to_sleep(const Moment& end) {
  return hooks != nullptr ? hooks->sleeps(end) : Woken::unwatched;
}

}  // namespace harness::entries
