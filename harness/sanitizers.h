// SPDX-License-Identifier: Apache-2.0
// Sanitizers: which ones this build has, and the few of their entry points that we call.
#pragma once

#include <cstddef>

#include "harness/sanitizers/edge_listener.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HARNESS_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define HARNESS_TSAN 1
#endif
#endif
#ifndef HARNESS_ASAN
#define HARNESS_ASAN 0
#endif
#ifndef HARNESS_TSAN
#define HARNESS_TSAN 0
#endif

extern "C" {
#if HARNESS_ASAN
void __sanitizer_start_switch_fiber(void** fake_stack_save, const void* bottom, std::size_t size);
void __sanitizer_finish_switch_fiber(void* fake_stack, const void** bottom_old,
                                     std::size_t* size_old);
void __asan_poison_memory_region(const volatile void* address, std::size_t bytes);
void __asan_unpoison_memory_region(const volatile void* address, std::size_t bytes);
#endif
#if HARNESS_TSAN
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void* __tsan_get_current_fiber();
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
void __tsan_acquire(void* address);
void __tsan_release(void* address);
#endif
}

namespace harness {

inline constexpr bool kAsan = HARNESS_ASAN;
inline constexpr bool kTsan = HARNESS_TSAN;

/// Marks memory that must not be touched. Does nothing without ASan.
inline void poison([[maybe_unused]] const void* address, [[maybe_unused]] std::size_t bytes) {
#if HARNESS_ASAN
  __asan_poison_memory_region(address, bytes);
#endif
}

/// Allows touching the memory again. Does nothing without ASan.
inline void unpoison([[maybe_unused]] const void* address, [[maybe_unused]] std::size_t bytes) {
#if HARNESS_ASAN
  __asan_unpoison_memory_region(address, bytes);
#endif
}

/// The two halves of a happens-before edge of device work. Streams are threads to TSan, so every
/// one of ours must draw its edges. Nothing without TSan.
inline void device_edge_release([[maybe_unused]] void* address) {
#if HARNESS_TSAN
  __tsan_release(address);
#endif
}

/// Draws the second half: what came before the release is seen from here on.
inline void device_edge_acquire([[maybe_unused]] void* address) {
#if HARNESS_TSAN
  __tsan_acquire(address);
#endif
}

/// Draws the first half of an edge between tasks, also for the current listener. Every lock, event
/// and counter of ours must draw its edges.
inline void edge_release(void* address) {
  if (EdgeListener::current != nullptr) [[unlikely]]
    EdgeListener::current->released(address);
  device_edge_release(address);
}

/// Draws the second half between tasks.
inline void edge_acquire(void* address) {
  if (EdgeListener::current != nullptr) [[unlikely]]
    EdgeListener::current->acquired(address);
  device_edge_acquire(address);
}

/// Orders what tasks do at `place` while it exists, like a lock that no task can wait for, because
/// no turn is offered under it. `told` is false if the tasks are ordered already, or by an order on
/// which no program may rely; then only TSan sees it.
class EdgePassage {
 public:
  explicit EdgePassage(void* place, bool told = true) : place_(place) {
    if (told && EdgeListener::current != nullptr) [[unlikely]]
      EdgeListener::current->passed(place);
    device_edge_acquire(place);
  }
  ~EdgePassage() { device_edge_release(place_); }
  EdgePassage(const EdgePassage&) = delete;
  EdgePassage& operator=(const EdgePassage&) = delete;

 private:
  void* place_;
};

}  // namespace harness
