// SPDX-License-Identifier: Apache-2.0
// Handed over: lets a small library, which is in every process of `afterlife run`, forward its
// functions to a large library that it opens at the first call. It depends on the C library only.
//
// Threads: any. Errors: a missing library is reported on stderr, once for each function.
#pragma once

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

namespace harness::entries {

/// Opens the library `name` in the folder of the library that contains this code. Returns null if
/// it cannot be opened.
inline void* open_beside(const char* name) {
  constexpr unsigned kPathBytes = 4096;
  Dl_info self{};
  char path[kPathBytes] = {};
  if (dladdr(reinterpret_cast<void*>(&open_beside), &self) == 0) return nullptr;
  const char* slash = strrchr(self.dli_fname, '/');
  const auto folder = static_cast<size_t>(slash == nullptr ? 0 : slash + 1 - self.dli_fname);
  if (folder + strlen(name) >= kPathBytes) return nullptr;
  memcpy(path, self.dli_fname, folder);
  memcpy(path + folder, name, strlen(name));
  void* opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) fprintf(stderr, "afterlife: %s\n", dlerror());
  return opened;
}

/// Returns the function of this name in that library, or null. The result is cached in `known`.
inline void* handed_over(const char* library, const char* function, void** known) {
  void* found = __atomic_load_n(known, __ATOMIC_ACQUIRE);
  if (found != nullptr) return found;
  void* opened = open_beside(library);
  if (opened == nullptr) return nullptr;
  found = dlsym(opened, function);
  __atomic_store_n(known, found, __ATOMIC_RELEASE);
  return found;
}

}  // namespace harness::entries
