// SPDX-License-Identifier: Apache-2.0
// Waiting: what the functions have in common that stand in front of the C library's waits.
#pragma once

#include <errno.h>

#include "harness/entries/libcuda/thread_hooks.h"

namespace harness::entries {

/// The driver's, once it has handed them over; else null.
extern const ThreadHooks* hooks;

/// Returns the result of the C library's function for a wait of ours, with errno.
inline int told(Woken woken) {
  if (woken == Woken::ready) return 0;
  errno = woken == Woken::timed_out ? ETIMEDOUT : EINTR;
  return -1;
}

inline Woken ask_to_sleep(const Moment& end) {
  return hooks != nullptr ? hooks->sleeps(end) : Woken::unwatched;
}

}  // namespace harness::entries
