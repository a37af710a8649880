// SPDX-License-Identifier: Apache-2.0
// Instrumented: how the functions that instrumented code calls reach the driver.
#pragma once

#include "harness/client/inside/libcuda/instrument_hooks.h"

#define AFTERLIFE_EXPORT extern "C" __attribute__((visibility("default")))
#define AFTERLIFE_CALLER __builtin_return_address(0)

namespace harness::entries {

/// The driver's hooks; null until the driver passes them, and outside of `afterlife run`.
extern const InstrumentHooks* instruments;

/// Returns the calls of this thread. They are never freed, because callbacks may come until its
/// end.
CallPath& path();

inline void report(const volatile void* address, std::size_t bytes, bool writes,
                   const void* returns_to) {
  if (instruments == nullptr || bytes == 0) [[likely]]
    return;
  instruments->accesses(
      {reinterpret_cast<std::uintptr_t>(address), bytes, writes, false, returns_to, &path()});
}

}  // namespace harness::entries
