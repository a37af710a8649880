// SPDX-License-Identifier: Apache-2.0
// Thread hooks: the interface between the preloaded library, which intercepts thread starts and
// waits, and the driver, which decides which thread runs next.
//
// The library does not depend on the driver, which may be loaded later and then passes this table.
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include <atomic>
#include <cstdint>

namespace harness::entries {

/// A point in time on one of the system's clocks.
struct Moment {
  clockid_t clock;
  timespec at;
};

/// How a wait ended.
enum class Woken {
  unwatched,    ///< The wait did not begin, because the thread takes no turns.
  ready,        ///< The wait is over; a semaphore has been taken.
  timed_out,    ///< The time limit has passed.
  interrupted,  ///< A signal has arrived.
};

/// Threads: any, for all functions.
struct ThreadHooks {
  /// Time in ns that the program's clocks show in addition to the system's, because time limits
  /// passed by choice.
  const std::atomic<std::int64_t>* skipped;
  /// Called before a thread is created, by Python or by other code. Returns its handle for the
  /// functions below, or null if it takes no turns.
  void* (*starting)(bool is_pythons);
  /// It was created, with the system's handle `handle`.
  void (*is_started)(void* thread, pthread_t handle);
  /// It could not be created.
  void (*not_started)(void* thread);
  /// Called on the new thread. Returns when it is its turn.
  void (*started)(void* thread);
  /// Called before the calling thread joins another. Returns when the system's join can finish.
  void (*joins)(pthread_t thread);
  /// Waits for a semaphore, up to a limit (null: none).
  Woken (*waits)(sem_t* semaphore, const Moment* limit);
  /// Waits until a point in time.
  Woken (*sleeps)(const Moment& end);
  /// Waits for an event from outside, up to a limit (null: none). `is_there` checks for it without
  /// waiting; it is called on any thread.
  Woken (*awaits)(bool (*is_there)(void* what), void* what, const Moment* limit);
};

/// The function of that library which receives the table, by its exported name.
inline constexpr const char* kTakeThreadHooks = "afterlife_take_thread_hooks";
using TakeThreadHooks = void (*)(const ThreadHooks* hooks);

/// The system's functions that the library intercepts, by its exported names.
inline constexpr const char* kSystemWait = "afterlife_system_sem_clockwait";
using SystemWait = int (*)(sem_t* semaphore, clockid_t clock, const timespec* limit);

}  // namespace harness::entries
