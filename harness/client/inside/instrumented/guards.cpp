// SPDX-License-Identifier: Apache-2.0
// Guards: the C++ run-time's functions that initialize local statics, with the order of threads
// that they make. The run-time itself is not instrumented.
//
// Source: Itanium C++ ABI, 3.3.3. The check without a call is an acquire load of the guard.
#include <dlfcn.h>

#include "harness/client/inside/instrumented/instrumented.h"

namespace {

using harness::entries::instruments;

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

AFTERLIFE_EXPORT int __cxa_guard_acquire(void* guard) {
  static const auto original = next<int (*)(void*)>("__cxa_guard_acquire");
  const int status = original(guard);
  if (instruments != nullptr) instruments->acquired(guard);
  return status;
}

AFTERLIFE_EXPORT void __cxa_guard_release(void* guard) {
  static const auto original = next<void (*)(void*)>("__cxa_guard_release");
  if (instruments != nullptr) instruments->releases(guard);
  original(guard);
}
