// SPDX-License-Identifier: Apache-2.0
// Memory: intercepts the C library's functions that free memory. C++'s `delete` and allocators of
// other languages that use the C library call them, too.
//
// How it works. Each function first checks, in a few nanoseconds, whether the driver was lent
// memory there; usually it then calls the system's function. The first call of any of them looks up
// the system's functions. The loader may free its own memory during that, which is then not freed.
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "harness/client/inside/libcuda/instrument_hooks.h"
#include "harness/client/inside/libcuda/memory_hooks.h"
#include "harness/client/inside/preload/loaded_first.h"

namespace {

using harness::entries::FreeHook;
using harness::entries::MemoryHooks;
using harness::entries::system_function;

const MemoryHooks* hooks = nullptr;
/// Called before each end of memory in an instrumented program; else null.
FreeHook ends_for_races = nullptr;

struct System {
  void (*free)(void*);
  void* (*realloc)(void*, size_t);
  void* (*malloc)(size_t);
  int (*munmap)(void*, size_t);
};

System found;
bool is_looking = false;

/// Looks up the system's functions. Returns null if that is already in progress.
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

/// Looks up the functions early, before any memory is lent.
__attribute__((constructor)) void begin() { system_functions(); }

/// Returns the size of a block that may contain lent memory; else 0.
inline size_t watched_bytes(void* memory) {
  if (hooks == nullptr || hooks->lent->are_none() || memory == nullptr) [[likely]]
    return 0;
  const size_t bytes = malloc_usable_size(memory);
  return hooks->lent->may_hold(reinterpret_cast<uintptr_t>(memory), bytes) ? bytes : 0;
}

inline void note_end(void* memory) {
  if (ends_for_races != nullptr && memory != nullptr) [[unlikely]]
    ends_for_races(memory, malloc_usable_size(memory));
}

/// Frees a block that may contain lent memory.
void end(const System& system, void* memory, size_t bytes, const char* how) {
  if (!hooks->ends(memory, bytes, how)) system.free(memory);
}

/// Moves a block that is lent and grows. realloc() may always move a block.
void* grow(const System& system, void* memory, size_t old_bytes, size_t bytes) {
  void* grown = system.malloc(bytes);
  if (grown == nullptr) return nullptr;
  memcpy(grown, memory, old_bytes);
  end(system, memory, old_bytes, "realloc");
  return grown;
}

}  // namespace

AFTERLIFE_EXPORT void afterlife_take_memory_hooks(const MemoryHooks* taken) { hooks = taken; }
AFTERLIFE_EXPORT void afterlife_take_free_hook(FreeHook taken) { ends_for_races = taken; }

AFTERLIFE_EXPORT void free(void* memory) noexcept {
  const System* system = system_functions();
  if (system == nullptr) return;
  note_end(memory);
  const size_t bytes = watched_bytes(memory);
  if (bytes == 0) [[likely]]
    return system->free(memory);
  end(*system, memory, bytes, "free");
}

AFTERLIFE_EXPORT void* realloc(void* memory, size_t bytes) noexcept {
  const System* system = system_functions();
  if (system == nullptr) return nullptr;
  note_end(memory);
  const size_t old_bytes = watched_bytes(memory);
  if (old_bytes != 0 && bytes == 0) return end(*system, memory, old_bytes, "realloc"), nullptr;
  if (old_bytes != 0 && bytes > old_bytes) return grow(*system, memory, old_bytes, bytes);
  return system->realloc(memory, bytes);  // A shrinking block is not moved.
}

AFTERLIFE_EXPORT int munmap(void* memory, size_t bytes) noexcept {
  const System* system = system_functions();
  if (system == nullptr) return errno = EAGAIN, -1;
  if (hooks != nullptr && bytes != 0 &&
      hooks->lent->may_hold(reinterpret_cast<uintptr_t>(memory), bytes))
    hooks->ends(memory, bytes, "munmap");
  if (ends_for_races != nullptr) ends_for_races(memory, bytes);
  return system->munmap(memory, bytes);
}
