// SPDX-License-Identifier: Apache-2.0
// Memory: in front of the functions of the C library by which a program's memory ends. C++'s
// `delete`, and what other languages allocate by the C library, comes through them.
//
// How it works. Each asks a count of the driver's whether anything that is lent can be there, and
// is the system's own where not: a few nanoseconds. The system's functions are looked up by the
// first call of any, in which the loader may free memory of its own: that is left alone.
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "harness/entries/libcuda/memory_hooks.h"
#include "harness/entries/preload/loaded_first.h"

namespace {

using harness::entries::MemoryHooks;
using harness::entries::system_function;

const MemoryHooks* hooks = nullptr;

struct System {
  void (*free)(void*);
  void* (*realloc)(void*, size_t);
  void* (*malloc)(size_t);
  int (*munmap)(void*, size_t);
};

System found;
bool is_looking = false;

/// Returns the system's functions, or null while they are looked up.
const System* find_system() {
  if (is_looking) return nullptr;
  is_looking = true;
  System looked{system_function<void (*)(void*)>("free"),
                system_function<void* (*)(void*, size_t)>("realloc"),
                system_function<void* (*)(size_t)>("malloc"),
                system_function<int (*)(void*, size_t)>("munmap")};
  found = looked;
  is_looking = false;
  return &found;
}

inline const System* system_functions() { return found.munmap != nullptr ? &found : find_system(); }

/// The driver is there before any of its memory is lent.
__attribute__((constructor)) void begin() { system_functions(); }

/// Returns the size of a block in which lent memory may be; else 0.
inline size_t watched_bytes(void* memory) {
  if (hooks == nullptr || hooks->lent->are_none() || memory == nullptr) [[likely]]
    return 0;
  const size_t bytes = malloc_usable_size(memory);
  return hooks->lent->may_hold(reinterpret_cast<uintptr_t>(memory), bytes) ? bytes : 0;
}

/// Ends a block in which lent memory may be.
void end(const System& system, void* memory, size_t bytes, const char* how) {
  if (!hooks->ends(memory, bytes, how)) system.free(memory);
}

/// A block that is lent and grows moves, as it may in any case.
void* grow(const System& system, void* memory, size_t old_bytes, size_t bytes) {
  void* grown = system.malloc(bytes);
  if (grown == nullptr) return nullptr;
  memcpy(grown, memory, old_bytes);
  end(system, memory, old_bytes, "realloc");
  return grown;
}

}  // namespace

AFTERLIFE_EXPORT void afterlife_take_memory_hooks(const MemoryHooks* taken) { hooks = taken; }

AFTERLIFE_EXPORT void free(void* memory) noexcept {
  const System* system = system_functions();
  if (system == nullptr) return;
  const size_t bytes = watched_bytes(memory);
  if (bytes == 0) [[likely]]
    return system->free(memory);
  end(*system, memory, bytes, "free");
}

AFTERLIFE_EXPORT void* realloc(void* memory, size_t bytes) noexcept {
  const System* system = system_functions();
  if (system == nullptr) return nullptr;
  const size_t old_bytes = watched_bytes(memory);
  if (old_bytes != 0 && bytes == 0) return end(*system, memory, old_bytes, "realloc"), nullptr;
  if (old_bytes != 0 && bytes > old_bytes) return grow(*system, memory, old_bytes, bytes);
  return system->realloc(memory, bytes);  // A block that shrinks stays where it is.
}

AFTERLIFE_EXPORT int munmap(void* memory, size_t bytes) noexcept {
  const System* system = system_functions();
  if (system == nullptr) return errno = EAGAIN, -1;
  if (hooks != nullptr && bytes != 0 &&
      hooks->lent->may_hold(reinterpret_cast<uintptr_t>(memory), bytes))
    hooks->ends(memory, bytes, "munmap");
  return system->munmap(memory, bytes);
}
