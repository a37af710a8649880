// SPDX-License-Identifier: Apache-2.0
// Loaded first: shared by the libraries that are loaded before all others of a program. It needs
// nothing but the C library.
#pragma once

#include <dlfcn.h>

#include "harness/entries/libcuda/native_code.h"

#define AFTERLIFE_EXPORT extern "C" __attribute__((visibility("default")))

namespace harness::entries {

/// Returns the function of this name that the program would have called without the library.
template <class Function>
Function system_function(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

/// Returns whether it is code of the interpreter, if there is one.
inline bool is_of_python(const NativeCode& code) {
  const void* python = dlsym(RTLD_DEFAULT, "Py_IsInitialized");
  return python != nullptr && code.base != nullptr && native_code(python).base == code.base;
}

}  // namespace harness::entries
