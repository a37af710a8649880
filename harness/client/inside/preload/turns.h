// SPDX-License-Identifier: Apache-2.0
// Turns: how the functions that intercept synchronisation call the driver.
#pragma once

#include <cstdint>

#include "harness/client/inside/libcuda/turn_hooks.h"

namespace harness::entries {

/// The driver's hooks; null until the driver passes them.
extern const TurnHooks* turns;

/// Returns whether the caller may be a thread that takes turns. The driver's own code takes none,
/// but a function that it calls may end with a jump to the C library.
inline bool may_turn(const void* returns_to) {
  if (turns == nullptr || !turns->are_on->load(std::memory_order_relaxed)) [[likely]]
    return false;
  const auto code = reinterpret_cast<std::uintptr_t>(returns_to);
  const bool is_drivers = code >= turns->code_begin && code < turns->code_end;
  const bool is_jump = code >= turns->calls_begin && code < turns->calls_end;
  return !is_drivers || is_jump;
}

}  // namespace harness::entries

#define AFTERLIFE_MAY_TURN harness::entries::may_turn(__builtin_return_address(0))
/// Returns the hook's result from the calling function, if the thread takes turns.
#define AFTERLIFE_TURN(hook, ...)                                 \
  if (AFTERLIFE_MAY_TURN) {                                       \
    const int taken = harness::entries::turns->hook(__VA_ARGS__); \
    if (taken != harness::entries::kNotOurs) return taken;        \
  }
