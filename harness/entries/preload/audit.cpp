// SPDX-License-Identifier: Apache-2.0
// Audit: has the loader find our libcudart.so.13, or .12, wherever a program, or a library of it,
// asks for that name, and loads it nowhere else (rtld-audit(7)).
//
// How it works. Our folder is in LD_LIBRARY_PATH. A folder that the asking library names itself
// (RPATH) would come before it, and a name with a path needs no search: these are passed over, and
// searched for by name. The loader has this library in a separate namespace: it needs nothing,
// not even the C library, of which there would be a second one.
#include <link.h>
#include <stdint.h>

#define AFTERLIFE_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr char kRuntimes[][16] = {"libcudart.so.13", "libcudart.so.12"};

/// Returns what follows the last slash.
const char* base_name(const char* path) {
  const char* base = path;
  for (const char* at = path; *at != '\0'; ++at)
    if (*at == '/') base = at + 1;
  return base;
}

/// Returns whether it is the runtime, or the same with a longer version.
bool is_runtime(const char* base, const char* runtime) {
  while (*runtime != '\0' && *runtime == *base) ++runtime, ++base;
  return *runtime == '\0' && (*base == '\0' || *base == '.');
}

/// Returns the runtime of ours that a name stands for, or null.
const char* find_runtime(const char* name) {
  for (const char* runtime : kRuntimes)
    if (is_runtime(base_name(name), runtime)) return runtime;
  return nullptr;
}

}  // namespace

AFTERLIFE_EXPORT unsigned la_version(unsigned version) {
  return version < LAV_CURRENT ? version : LAV_CURRENT;
}

AFTERLIFE_EXPORT char* la_objsearch(const char* name, uintptr_t* /*cookie*/, unsigned where) {
  char* const as_it_is = const_cast<char*>(name);
  const char* runtime = find_runtime(name);
  if (runtime == nullptr) return as_it_is;
  if (where == LA_SER_ORIG) return const_cast<char*>(runtime);
  return where == LA_SER_LIBPATH ? as_it_is : nullptr;
}
