// SPDX-License-Identifier: Apache-2.0
// Sanitizers: which ones this build has, and those of their entry points that the harness calls.
#pragma once

#include <cstddef>

#include "harness/base/sanitizers/edge_listener.h"

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

/// Draws the first half of a happens-before edge of device work. TSan sees streams as threads, so
/// all of our synchronization must draw its edges. Does nothing without TSan.
inline void device_edge_release([[maybe_unused]] void* address) {
#if HARNESS_TSAN
  __tsan_release(address);
#endif
}

/// Draws the second half: after it, work before the release is visible.
inline void device_edge_acquire([[maybe_unused]] void* address) {
#if HARNESS_TSAN
  __tsan_acquire(address);
#endif
}

/// Draws the first half of an edge between tasks, also for the current listener. Each of our locks,
/// events and counters must draw its edges.
inline void edge_release(void* address) {
  if (EdgeListener::current != nullptr) [[unlikely]]
    EdgeListener::current->released(address);
  device_edge_release(address);
}

/// Draws the second half of an edge between tasks.
inline void edge_acquire(void* address) {
  if (EdgeListener::current != nullptr) [[unlikely]]
    EdgeListener::current->acquired(address);
  device_edge_acquire(address);
}

/// Orders accesses of tasks to `place` while it exists, like a lock that no task waits for, because
/// no switch can occur while it is held. `notify` is false if the tasks are ordered already, or if
/// no program may rely on the order; then only TSan sees it.
class EdgePassage {
 public:
  explicit EdgePassage(void* place, bool notify = true) : place_(place) {
    if (notify && EdgeListener::current != nullptr) [[unlikely]]
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
