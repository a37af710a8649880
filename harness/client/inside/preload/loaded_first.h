// SPDX-License-Identifier: Apache-2.0
// Loaded first: shared by the libraries that are preloaded into a program. It depends on the C
// library only.
#pragma once

#include <dlfcn.h>

#include "harness/client/inside/libcuda/native_code.h"

#define AFTERLIFE_EXPORT extern "C" __attribute__((visibility("default")))

namespace harness::entries {

/// Returns the function of this name that the library intercepts.
template <class Function>
Function system_function(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

/// Returns whether the code belongs to the Python interpreter.
inline bool is_of_python(const NativeCode& code) {
  const void* python = dlsym(RTLD_DEFAULT, "Py_IsInitialized");
  return python != nullptr && code.base != nullptr && native_code(python).base == code.base;
}

}  // namespace harness::entries
