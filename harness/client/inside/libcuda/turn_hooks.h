// SPDX-License-Identifier: Apache-2.0
// Turn hooks: the interface between the preloaded library, which intercepts synchronisation, and
// the driver, which lets one thread run at a time.
//
// Each function returns kNotOurs if the calling thread takes no turns; the C library's function
// must then be called. Otherwise it returns what that function would have returned.
#pragma once

#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <cstdint>

#include "harness/client/inside/libcuda/thread_hooks.h"

namespace harness::entries {

inline constexpr int kNotOurs = -1'000;

enum class RwAccess { read, write };

/// A call of futex(2) by syscall().
struct FutexCall {
  std::uint32_t* word;
  int operation;
  std::uint32_t value;
  const timespec* limit;
  std::uint32_t bits;
};

/// Threads: any, for all functions. A limit is null if there is none.
struct TurnHooks {
  /// Whether threads of programs without Python take turns.
  const std::atomic<bool>* are_on;
  /// The code of the driver itself, whose synchronisation is not a step of the program.
  std::uintptr_t code_begin;
  std::uintptr_t code_end;
  /// The part of it that calls functions of the program.
  std::uintptr_t calls_begin;
  std::uintptr_t calls_end;

  /// Called before a thread is cancelled, which may end its wait.
  void (*cancels)(pthread_t thread);
  int (*join)(pthread_t thread, void** result, const Moment* limit, bool waits);
  int (*lock)(pthread_mutex_t* mutex, const Moment* limit);
  int (*try_lock)(pthread_mutex_t* mutex);
  int (*unlock)(pthread_mutex_t* mutex);
  int (*spin_lock)(pthread_spinlock_t* lock, bool waits);
  int (*spin_unlock)(pthread_spinlock_t* lock);
  int (*rw_lock)(pthread_rwlock_t* lock, RwAccess access, const Moment* limit);
  int (*rw_try_lock)(pthread_rwlock_t* lock, RwAccess access);
  int (*rw_unlock)(pthread_rwlock_t* lock);
  int (*wait)(pthread_cond_t* condition, pthread_mutex_t* mutex, const Moment* limit);
  int (*wake)(pthread_cond_t* condition, bool all);
  int (*once)(pthread_once_t* control, void (*routine)());
  void (*barrier_begins)(pthread_barrier_t* barrier, unsigned count);
  void (*barrier_ends)(pthread_barrier_t* barrier);
  int (*barrier_wait)(pthread_barrier_t* barrier);
  int (*take)(sem_t* semaphore, const Moment* limit);
  int (*try_take)(sem_t* semaphore);
  int (*post)(sem_t* semaphore);
  /// Sets `*result`, and errno. Returns 0.
  int (*futex)(const FutexCall& call, long* result);
  int (*yield)();
  int (*sleep)(const timespec& rest);
  int (*sleep_until)(const Moment& end);
  /// Returns the time of a clock that stands still while threads run.
  int (*now)(clockid_t clock, timespec* now);
  /// Called before a C library function that is not a wait.
  void (*comes)(const char* function);
  /// Waits for an event from outside.
  int (*awaits)(const char* function, bool (*is_there)(void* what), void* what,
                const Moment* limit);
};

/// The function of that library which receives the table, by its exported name.
inline constexpr const char* kTakeTurnHooks = "afterlife_take_turn_hooks";
using TakeTurnHooks = void (*)(const TurnHooks* hooks);

}  // namespace harness::entries
