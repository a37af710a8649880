// SPDX-License-Identifier: Apache-2.0
// Sync: intercepts the C library's functions by which threads wait for each other.
//
// How it works. If threads take turns, the driver's hook implements the function. Otherwise the
// system's function is called, at the cost of a load and a jump. The C++ library and users of
// futex(2) through syscall() call these functions, too.
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/client/inside/preload/loaded_first.h"
#include "harness/client/inside/preload/turns.h"
#include "harness/client/inside/preload/waiting.h"

namespace harness::entries {

const TurnHooks* turns = nullptr;

}  // namespace harness::entries

namespace {

using harness::entries::FutexCall;
using harness::entries::hooks;
using harness::entries::kNotOurs;
using harness::entries::Moment;
using harness::entries::on_system;
using harness::entries::RwAccess;
using harness::entries::skipped;
using harness::entries::system_function;
using harness::entries::turns;

Moment by(clockid_t clock, const timespec* limit) { return {clock, *limit}; }

/// Returns whether the driver implements the operation.
bool is_known(int operation) {
  switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAKE:
    case FUTEX_WAIT_BITSET:
    case FUTEX_WAKE_BITSET:
      return true;
    default:
      return false;
  }
}

/// Returns whether the system call has a time limit that is a point in time.
bool has_moment(long number, const long (&arguments)[6]) {
  return number == SYS_futex && (arguments[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET &&
         arguments[3] != 0;
}

}  // namespace

#define SYSTEM(name, ...) static const auto system = system_function<__VA_ARGS__>(name)

AFTERLIFE_EXPORT void afterlife_take_turn_hooks(const harness::entries::TurnHooks* taken) {
  turns = taken;
}

// ---- mutexes ----------------------------------------------------------------------------------

AFTERLIFE_EXPORT int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  AFTERLIFE_TURN(lock, mutex, nullptr)
  SYSTEM("pthread_mutex_lock", int (*)(pthread_mutex_t*));
  return system(mutex);
}

AFTERLIFE_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* mutex,
                                             const timespec* limit) noexcept {
  const Moment end = by(CLOCK_REALTIME, limit);
  AFTERLIFE_TURN(lock, mutex, &end)
  SYSTEM("pthread_mutex_timedlock", int (*)(pthread_mutex_t*, const timespec*));
  const timespec systems = on_system(*limit);
  return system(mutex, &systems);
}

AFTERLIFE_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                             const timespec* limit) noexcept {
  const Moment end = by(clock, limit);
  AFTERLIFE_TURN(lock, mutex, &end)
  SYSTEM("pthread_mutex_clocklock", int (*)(pthread_mutex_t*, clockid_t, const timespec*));
  const timespec systems = on_system(*limit);
  return system(mutex, clock, &systems);
}

AFTERLIFE_EXPORT int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  AFTERLIFE_TURN(try_lock, mutex)
  SYSTEM("pthread_mutex_trylock", int (*)(pthread_mutex_t*));
  return system(mutex);
}

AFTERLIFE_EXPORT int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  AFTERLIFE_TURN(unlock, mutex)
  SYSTEM("pthread_mutex_unlock", int (*)(pthread_mutex_t*));
  return system(mutex);
}

#define AFTERLIFE_SPINLOCK(name, hook, ...)                      \
  AFTERLIFE_EXPORT int name(pthread_spinlock_t* lock) noexcept { \
    AFTERLIFE_TURN(hook, lock __VA_OPT__(, ) __VA_ARGS__)        \
    SYSTEM(#name, int (*)(pthread_spinlock_t*));                 \
    return system(lock);                                         \
  }

AFTERLIFE_SPINLOCK(pthread_spin_lock, spin_lock, true)
AFTERLIFE_SPINLOCK(pthread_spin_trylock, spin_lock, false)
AFTERLIFE_SPINLOCK(pthread_spin_unlock, spin_unlock)

// ---- reader-writer locks ----------------------------------------------------------------------

#define AFTERLIFE_RWLOCK(kind, access)                                                           \
  AFTERLIFE_EXPORT int pthread_rwlock_##kind##lock(pthread_rwlock_t* lock) noexcept {            \
    AFTERLIFE_TURN(rw_lock, lock, access, nullptr)                                               \
    SYSTEM("pthread_rwlock_" #kind "lock", int (*)(pthread_rwlock_t*));                          \
    return system(lock);                                                                         \
  }                                                                                              \
  AFTERLIFE_EXPORT int pthread_rwlock_try##kind##lock(pthread_rwlock_t* lock) noexcept {         \
    AFTERLIFE_TURN(rw_try_lock, lock, access)                                                    \
    SYSTEM("pthread_rwlock_try" #kind "lock", int (*)(pthread_rwlock_t*));                       \
    return system(lock);                                                                         \
  }                                                                                              \
  AFTERLIFE_EXPORT int pthread_rwlock_timed##kind##lock(pthread_rwlock_t* lock,                  \
                                                        const timespec* limit) noexcept {        \
    const Moment end = by(CLOCK_REALTIME, limit);                                                \
    AFTERLIFE_TURN(rw_lock, lock, access, &end)                                                  \
    SYSTEM("pthread_rwlock_timed" #kind "lock", int (*)(pthread_rwlock_t*, const timespec*));    \
    const timespec systems = on_system(*limit);                                                  \
    return system(lock, &systems);                                                               \
  }                                                                                              \
  AFTERLIFE_EXPORT int pthread_rwlock_clock##kind##lock(pthread_rwlock_t* lock, clockid_t clock, \
                                                        const timespec* limit) noexcept {        \
    const Moment end = by(clock, limit);                                                         \
    AFTERLIFE_TURN(rw_lock, lock, access, &end)                                                  \
    SYSTEM("pthread_rwlock_clock" #kind "lock",                                                  \
           int (*)(pthread_rwlock_t*, clockid_t, const timespec*));                              \
    const timespec systems = on_system(*limit);                                                  \
    return system(lock, clock, &systems);                                                        \
  }

AFTERLIFE_RWLOCK(rd, RwAccess::read)
AFTERLIFE_RWLOCK(wr, RwAccess::write)

AFTERLIFE_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  AFTERLIFE_TURN(rw_unlock, lock)
  SYSTEM("pthread_rwlock_unlock", int (*)(pthread_rwlock_t*));
  return system(lock);
}

// ---- conditions -------------------------------------------------------------------------------

AFTERLIFE_EXPORT int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  AFTERLIFE_TURN(wait, condition, mutex, nullptr)
  SYSTEM("pthread_cond_wait", int (*)(pthread_cond_t*, pthread_mutex_t*));
  return system(condition, mutex);
}

AFTERLIFE_EXPORT int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                            const timespec* limit) {
  // The condition's clock is not accessible. The hook accepts both clocks.
  const Moment end = by(CLOCK_REALTIME, limit);
  AFTERLIFE_TURN(wait, condition, mutex, &end)
  SYSTEM("pthread_cond_timedwait", int (*)(pthread_cond_t*, pthread_mutex_t*, const timespec*));
  const timespec systems = on_system(*limit);
  return system(condition, mutex, &systems);
}

AFTERLIFE_EXPORT int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                            clockid_t clock, const timespec* limit) {
  const Moment end = by(clock, limit);
  AFTERLIFE_TURN(wait, condition, mutex, &end)
  SYSTEM("pthread_cond_clockwait",
         int (*)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*));
  const timespec systems = on_system(*limit);
  return system(condition, mutex, clock, &systems);
}

AFTERLIFE_EXPORT int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  AFTERLIFE_TURN(wake, condition, false)
  SYSTEM("pthread_cond_signal", int (*)(pthread_cond_t*));
  return system(condition);
}

AFTERLIFE_EXPORT int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  AFTERLIFE_TURN(wake, condition, true)
  SYSTEM("pthread_cond_broadcast", int (*)(pthread_cond_t*));
  return system(condition);
}

// ---- once, barriers, joins --------------------------------------------------------------------

AFTERLIFE_EXPORT int pthread_once(pthread_once_t* control, void (*routine)()) {
  AFTERLIFE_TURN(once, control, routine)
  SYSTEM("pthread_once", int (*)(pthread_once_t*, void (*)()));
  return system(control, routine);
}

AFTERLIFE_EXPORT int pthread_barrier_init(pthread_barrier_t* barrier,
                                          const pthread_barrierattr_t* attributes,
                                          unsigned count) noexcept {
  SYSTEM("pthread_barrier_init",
         int (*)(pthread_barrier_t*, const pthread_barrierattr_t*, unsigned));
  const int status = system(barrier, attributes, count);
  if (status == 0 && turns != nullptr) turns->barrier_begins(barrier, count);
  return status;
}

AFTERLIFE_EXPORT int pthread_barrier_destroy(pthread_barrier_t* barrier) noexcept {
  SYSTEM("pthread_barrier_destroy", int (*)(pthread_barrier_t*));
  if (turns != nullptr) turns->barrier_ends(barrier);
  return system(barrier);
}

AFTERLIFE_EXPORT int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  AFTERLIFE_TURN(barrier_wait, barrier)
  SYSTEM("pthread_barrier_wait", int (*)(pthread_barrier_t*));
  return system(barrier);
}

AFTERLIFE_EXPORT int pthread_cancel(pthread_t thread) {
  SYSTEM("pthread_cancel", int (*)(pthread_t));
  if (AFTERLIFE_MAY_TURN) turns->cancels(thread);
  return system(thread);
}

AFTERLIFE_EXPORT int pthread_join(pthread_t thread, void** result) {
  AFTERLIFE_TURN(join, thread, result, nullptr, true)
  SYSTEM("pthread_join", int (*)(pthread_t, void**));
  if (hooks != nullptr) hooks->joins(thread);
  return system(thread, result);
}

AFTERLIFE_EXPORT int pthread_tryjoin_np(pthread_t thread, void** result) noexcept {
  AFTERLIFE_TURN(join, thread, result, nullptr, false)
  SYSTEM("pthread_tryjoin_np", int (*)(pthread_t, void**));
  return system(thread, result);
}

AFTERLIFE_EXPORT int pthread_timedjoin_np(pthread_t thread, void** result, const timespec* limit) {
  const Moment end = by(CLOCK_REALTIME, limit);
  AFTERLIFE_TURN(join, thread, result, &end, true)
  SYSTEM("pthread_timedjoin_np", int (*)(pthread_t, void**, const timespec*));
  const timespec systems = on_system(*limit);
  return system(thread, result, &systems);
}

AFTERLIFE_EXPORT int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock,
                                          const timespec* limit) {
  const Moment end = by(clock, limit);
  AFTERLIFE_TURN(join, thread, result, &end, true)
  SYSTEM("pthread_clockjoin_np", int (*)(pthread_t, void**, clockid_t, const timespec*));
  const timespec systems = on_system(*limit);
  return system(thread, result, clock, &systems);
}

// ---- semaphores -------------------------------------------------------------------------------

AFTERLIFE_EXPORT int sem_trywait(sem_t* semaphore) noexcept {
  AFTERLIFE_TURN(try_take, semaphore)
  SYSTEM("sem_trywait", int (*)(sem_t*));
  return system(semaphore);
}

AFTERLIFE_EXPORT int sem_post(sem_t* semaphore) noexcept {
  AFTERLIFE_TURN(post, semaphore)
  SYSTEM("sem_post", int (*)(sem_t*));
  return system(semaphore);
}

// ---- system calls -----------------------------------------------------------------------------

AFTERLIFE_EXPORT int sched_yield() noexcept {
  AFTERLIFE_TURN(yield, )
  SYSTEM("sched_yield", int (*)());
  return system();
}

AFTERLIFE_EXPORT long syscall(long number, ...) noexcept {
  va_list list;
  va_start(list, number);
  long arguments[6];
  for (long& one : arguments) one = va_arg(list, long);
  va_end(list);
  if (number == SYS_futex && is_known(static_cast<int>(arguments[1])) && AFTERLIFE_MAY_TURN) {
    const FutexCall call{reinterpret_cast<std::uint32_t*>(arguments[0]),
                         static_cast<int>(arguments[1]), static_cast<std::uint32_t>(arguments[2]),
                         reinterpret_cast<const timespec*>(arguments[3]),
                         static_cast<std::uint32_t>(arguments[5])};
    long result = 0;
    if (turns->futex(call, &result) != kNotOurs) return result;
  }
  if (number == SYS_sched_yield) {
    AFTERLIFE_TURN(yield, )
  }
  timespec systems{};
  if (has_moment(number, arguments) && skipped() != 0) {
    systems = on_system(*reinterpret_cast<const timespec*>(arguments[3]));
    arguments[3] = reinterpret_cast<long>(&systems);
  }
  SYSTEM("syscall", long (*)(long, ...));
  return system(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
                arguments[5]);
}
