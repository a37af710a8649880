// SPDX-License-Identifier: Apache-2.0
// Happens before: the order of the program's threads, as far as its synchronization makes one.
//
// Source: C++20 [intro.races] and [atomics.order]; vector clocks as in FastTrack (Flanagan and
// Freund 2009). A store begins a release sequence, and each read-modify-write continues it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>

#include "harness/client/inside/libcuda/races/vector_clock.h"

namespace harness::entries {

/// Threads are named by their numbers. Threads: one at a time.
class HappensBefore {
 public:
  using Thread = std::size_t;

  const VectorClock& now(Thread thread) { return of(thread).now; }
  void started(Thread parent, Thread child);
  void joined(Thread joining, Thread ended);

  /// A lock, a semaphore or the like.
  void acquired(Thread thread, std::uintptr_t object);
  void releases(Thread thread, std::uintptr_t object);

  /// Atomic operations. Orders are numbered as in C++.
  void loaded(Thread thread, std::uintptr_t object, int order);
  void stored(Thread thread, std::uintptr_t object, int order);
  void exchanged(Thread thread, std::uintptr_t object, int order);
  void fence(Thread thread, int order);

  /// Memory was freed: what is there next is another object.
  void forget(std::uintptr_t low, std::uintptr_t high);

 private:
  struct Clocks {
    VectorClock now;
    VectorClock released;  ///< When the last release fence was made.
    VectorClock loaded;    ///< Takes effect with an acquire fence.
  };

  Clocks& of(Thread thread);

  std::deque<Clocks> threads_;
  std::map<std::uintptr_t, VectorClock> objects_;
};

}  // namespace harness::entries
