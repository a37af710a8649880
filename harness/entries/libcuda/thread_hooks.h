// SPDX-License-Identifier: Apache-2.0
// Thread hooks: the interface between the preloaded library, which intercepts thread starts and
// waits, and the driver, which decides which thread runs next.
//
// The library knows no driver, the driver may be loaded late: it hands over this table when it is.
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

namespace harness::entries {

/// A moment of one of the system's clocks.
struct Moment {
  clockid_t clock;
  timespec at;
};

/// How a wait ended.
enum class Woken {
  unwatched,    ///< The wait did not begin, because the thread takes no turns.
  ready,        ///< It is there; a semaphore has been taken.
  timed_out,    ///< The moment has come.
  interrupted,  ///< A signal has come.
};

/// Threads: any, for all of it.
struct ThreadHooks {
  /// A thread is about to be made, by the interpreter of Python or by something else. Returns what
  /// it is known as, or null if it is left alone.
  void* (*starting)(bool is_pythons);
  /// It has been made, and the system knows it as `handle`.
  void (*is_started)(void* thread, pthread_t handle);
  /// It could not be made.
  void (*not_started)(void* thread);
  /// The calling thread is that one. Returns when it is its turn.
  void (*started)(void* thread);
  /// The calling thread is that one, and about to end.
  void (*ended)(void* thread);
  /// Waits for a semaphore, up to a moment or, with null, for ever.
  Woken (*waits)(sem_t* semaphore, const Moment* limit);
  /// Lets time pass up to a moment.
  Woken (*sleeps)(const Moment& end);
  /// Waits for something that comes from elsewhere, up to a moment or, with null, for ever.
  /// `is_there` looks whether it has come, and does not wait; it is called on any thread.
  Woken (*awaits)(bool (*is_there)(void* what), void* what, const Moment* limit);
};

/// The function of that library which takes the table, by its name there.
inline constexpr const char* kTakeThreadHooks = "afterlife_take_thread_hooks";
using TakeThreadHooks = void (*)(const ThreadHooks* hooks);

/// The functions of the system that the library stands in front of, by its names there.
inline constexpr const char* kSystemWait = "afterlife_system_sem_clockwait";
using SystemWait = int (*)(sem_t* semaphore, clockid_t clock, const timespec* limit);

}  // namespace harness::entries
