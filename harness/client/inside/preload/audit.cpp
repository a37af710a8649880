// SPDX-License-Identifier: Apache-2.0
// Audit: makes the loader use our libcudart.so.13 or .12 whenever a program or its library requests
// one by that name, and has no effect on other libraries (rtld-audit(7)).
//
// How it works. Our folder is in LD_LIBRARY_PATH. The loader would search folders in the requesting
// library (RPATH) first, and a name with a path is not searched at all: these candidates are
// skipped, and the library is searched by name. The loader puts this library into a separate
// namespace. So it depends on no library, not even the C library, of which a second copy would be
// loaded.
#include <link.h>
#include <stdint.h>

#define AFTERLIFE_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr char kRuntimes[][16] = {"libcudart.so.13", "libcudart.so.12"};

/// Returns the part after the last slash.
const char* base_name(const char* path) {
  const char* base = path;
  for (const char* at = path; *at != '\0'; ++at)
    if (*at == '/') base = at + 1;
  return base;
}

/// Returns whether the name is that of the runtime, possibly with a longer version.
bool is_runtime(const char* base, const char* runtime) {
  while (*runtime != '\0' && *runtime == *base) ++runtime, ++base;
  return *runtime == '\0' && (*base == '\0' || *base == '.');
}

/// Returns our runtime for a name, or null.
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
