// SPDX-License-Identifier: Apache-2.0
// Accesses: the functions that code compiled by clang with -fsanitize=thread calls before it
// accesses memory, and when it enters and leaves a function.
//
// Source: llvm/lib/Transforms/Instrumentation/ThreadSanitizer.cpp. A callback comes before the
// access. Functions of copies make the copy themselves. Constructors of the program may call before
// those of this library, so its state needs no initialization.
#include <cstdlib>
#include <cstring>

#include "harness/client/inside/instrumented/instrumented.h"

namespace harness::entries {

const InstrumentHooks* instruments = nullptr;

/// Little memory of this kind is left under an audit library, so this is a pointer.
static constinit thread_local CallPath* own_path __attribute__((tls_model("initial-exec"))) =
    nullptr;

CallPath& path() {
  if (own_path == nullptr) own_path = static_cast<CallPath*>(calloc(1, sizeof(CallPath)));
  if (own_path == nullptr) abort();
  return *own_path;
}

}  // namespace harness::entries

namespace {

using harness::entries::InstrumentHooks;
using harness::entries::instruments;
using harness::entries::path;
using harness::entries::report;

/// The process runs under `afterlife run`.
bool is_run = false;

}  // namespace

AFTERLIFE_EXPORT void afterlife_take_instrument_hooks(const InstrumentHooks* taken) {
  instruments = taken;
}

AFTERLIFE_EXPORT void __tsan_init() { is_run = getenv("AFTERLIFE_RUN") != nullptr; }

AFTERLIFE_EXPORT void __tsan_func_entry(void* returns_to) {
  if (is_run) path().enter(returns_to);
}
AFTERLIFE_EXPORT void __tsan_func_exit() {
  if (is_run) path().leave();
}
AFTERLIFE_EXPORT void __tsan_ignore_thread_begin() {}
AFTERLIFE_EXPORT void __tsan_ignore_thread_end() {}

// ---- reads and writes --------------------------------------------------------------------------

#define AFTERLIFE_ACCESS(name, bytes, writes) \
  AFTERLIFE_EXPORT void __tsan_##name(void* what) { report(what, bytes, writes, AFTERLIFE_CALLER); }
#define AFTERLIFE_ACCESSES(prefix, bytes)                      \
  AFTERLIFE_ACCESS(prefix##read##bytes, bytes, false)          \
  AFTERLIFE_ACCESS(prefix##write##bytes, bytes, true)          \
  AFTERLIFE_ACCESS(prefix##read_write##bytes, bytes, true)     \
  AFTERLIFE_ACCESS(prefix##volatile_read##bytes, bytes, false) \
  AFTERLIFE_ACCESS(prefix##volatile_write##bytes, bytes, true)

AFTERLIFE_ACCESSES(, 1)
AFTERLIFE_ACCESSES(, 2)
AFTERLIFE_ACCESSES(, 4)
AFTERLIFE_ACCESSES(, 8)
AFTERLIFE_ACCESSES(, 16)
AFTERLIFE_ACCESSES(unaligned_, 1)
AFTERLIFE_ACCESSES(unaligned_, 2)
AFTERLIFE_ACCESSES(unaligned_, 4)
AFTERLIFE_ACCESSES(unaligned_, 8)
AFTERLIFE_ACCESSES(unaligned_, 16)

AFTERLIFE_EXPORT void __tsan_read_range(void* what, unsigned long bytes) {
  report(what, bytes, false, AFTERLIFE_CALLER);
}
AFTERLIFE_EXPORT void __tsan_write_range(void* what, unsigned long bytes) {
  report(what, bytes, true, AFTERLIFE_CALLER);
}

/// Constructors and destructors often store the pointer that is there already.
AFTERLIFE_EXPORT void __tsan_vptr_update(void** pointer, void* stored) {
  if (*pointer != stored) report(pointer, sizeof *pointer, true, AFTERLIFE_CALLER);
}
AFTERLIFE_EXPORT void __tsan_vptr_read(void** pointer) {
  report(pointer, sizeof *pointer, false, AFTERLIFE_CALLER);
}

// ---- copies ------------------------------------------------------------------------------------

AFTERLIFE_EXPORT void* __tsan_memcpy(void* target, const void* source, unsigned long bytes) {
  report(source, bytes, false, AFTERLIFE_CALLER);
  report(target, bytes, true, AFTERLIFE_CALLER);
  return memcpy(target, source, bytes);
}
AFTERLIFE_EXPORT void* __tsan_memmove(void* target, const void* source, unsigned long bytes) {
  report(source, bytes, false, AFTERLIFE_CALLER);
  report(target, bytes, true, AFTERLIFE_CALLER);
  return memmove(target, source, bytes);
}
AFTERLIFE_EXPORT void* __tsan_memset(void* target, int value, unsigned long bytes) {
  report(target, bytes, true, AFTERLIFE_CALLER);
  return memset(target, value, bytes);
}
