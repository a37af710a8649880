// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcuda/turns/waits.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "harness/client/inside/libcuda/races/host_races.h"
#include "harness/client/inside/libcuda/turns/doing.h"
#include "harness/driver/cuda/process.h"

namespace harness::entries {
namespace {

void cancels(pthread_t handle) {
  const Doing doing("pthread_cancel");
  if (doing) doing.offer();
  if (BatonThread* thread = Doing::baton().find(handle); thread != nullptr)
    thread->is_cancelled = true;
}

int join(pthread_t handle, void** result, const Moment* end, bool waits) {
  const Doing doing("pthread_join");
  if (!doing) return kNotOurs;
  BatonThread* joined = Doing::baton().find(handle);
  if (joined == nullptr || joined == doing.thread()) return kNotOurs;
  doing.offer();
  const std::function<bool()> done = [joined] { return joined->state == BatonThread::State::over; };
  if (!waits && !done()) return EBUSY;
  doing.allow_cancel(true);
  if (Doing::baton().wait(*doing, done, HeldClock::rest_until(end)) == Woken::timed_out)
    return ETIMEDOUT;
  joined->handle = {};
  HostRaces::joined(*joined);
  return pthread_join(handle, result);
}

// ---- semaphores -------------------------------------------------------------------------------

int take(sem_t* semaphore, const Moment* end) {
  const Doing doing("sem_wait");
  if (!doing) return kNotOurs;
  doing.allow_cancel(true);
  const int status = doing.take(semaphore, end, [&] {
    if (sem_trywait(semaphore) == 0) return 0;
    return errno == EAGAIN ? EBUSY : errno;
  });
  if (status == 0) HostRaces::acquired(semaphore);
  return status == 0 ? 0 : (errno = status, -1);
}

int try_take(sem_t* semaphore) {
  const Doing doing("sem_trywait");
  if (!doing) return kNotOurs;
  doing.offer();
  const int status = sem_trywait(semaphore);
  if (status == 0) HostRaces::acquired(semaphore);
  return status;
}

int post(sem_t* semaphore) {
  const Doing doing("sem_post");
  if (doing) doing.offer();
  if (doing) HostRaces::releases(semaphore);
  const int status = wakes(doing, semaphore, kAll, sem_post(semaphore));
  if (doing) doing.offer();
  return status;
}

// ---- futexes ----------------------------------------------------------------------------------

/// The limit of FUTEX_WAIT is a duration; that of FUTEX_WAIT_BITSET is a point in time.
Baton::Limit rest_of(const FutexCall& call, bool is_moment) {
  if (call.limit == nullptr) return std::nullopt;
  if (!is_moment) return std::chrono::nanoseconds(HeldClock::in_nanoseconds(*call.limit));
  const bool is_real = (call.operation & FUTEX_CLOCK_REALTIME) != 0;
  const Moment end{is_real ? CLOCK_REALTIME : CLOCK_MONOTONIC, *call.limit};
  return HeldClock::rest_until(&end);
}

/// Also wakes through the system, in which threads without turns wait.
long wake_futex(const FutexCall& call, std::uint32_t bits) {
  const std::uint32_t woken = Doing::baton().unpark(call.word, call.value, bits);
  if (woken >= call.value) return woken;
  const long others =
      ::syscall(SYS_futex, call.word, call.operation, call.value - woken, nullptr, nullptr, bits);
  return others < 0 && woken == 0 ? others : woken + std::max(0L, others);
}

/// Returns the result of the system call, and sets errno.
long wait_for_futex(const Doing& doing, const FutexCall& call, std::uint32_t bits, bool is_moment) {
  if (std::atomic_ref(*call.word).load() != call.value) return errno = EAGAIN, -1;
  const Baton::Limit limit = rest_of(call, is_moment);
  Doing::baton().will_park(*doing, call.word, bits, true);
  if (Doing::baton().park(*doing, limit) == Woken::timed_out) return errno = ETIMEDOUT, -1;
  return 0;
}

int futex(const FutexCall& call, long* result) {
  const int command = call.operation & FUTEX_CMD_MASK;
  const bool wakes_some = command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET;
  const bool has_bits = command == FUTEX_WAIT_BITSET || command == FUTEX_WAKE_BITSET;
  const std::uint32_t bits = has_bits ? call.bits : kAll;
  const Doing doing(wakes_some ? Label("futex_wake") : Label("futex_wait"));
  if (!doing && !wakes_some) return kNotOurs;
  if (doing) doing.offer();
  if (!wakes_some) return *result = wait_for_futex(doing, call, bits, has_bits), 0;
  *result = wake_futex(call, bits);
  if (doing) doing.offer();
  return 0;
}

// ---- time -------------------------------------------------------------------------------------

int yield() {
  const Doing doing("sched_yield");
  if (!doing) return kNotOurs;
  Doing::baton().yield(*doing);
  return 0;
}

int sleep_for(const timespec& rest) {
  const Doing doing("sleep");
  if (!doing) return kNotOurs;
  doing.allow_cancel(true);
  Doing::baton().wait(*doing, {}, std::chrono::nanoseconds(HeldClock::in_nanoseconds(rest)));
  return 0;
}

int sleep_until(const Moment& end) {
  const Doing doing("sleep");
  if (!doing || !HeldClock::tells(end.clock)) return kNotOurs;
  doing.allow_cancel(true);
  Doing::baton().wait(*doing, {}, HeldClock::rest_until(&end));
  return 0;
}

/// Yields in some of the calls, because code that reads the clock in a loop may wait for another
/// thread.
int now(clockid_t clock, timespec* told) {
  constexpr unsigned kLooks = 16;
  if (!HeldClock::tells(clock)) return kNotOurs;
  const Doing doing("clock_gettime");
  if (!doing) return kNotOurs;
  if (doing.thread()->coming_nth % kLooks == 0) Doing::baton().yield(*doing);
  const std::int64_t now = HeldClock::now(clock);
  *told = {now / HeldClock::kSecond, now % HeldClock::kSecond};
  return 0;
}

// ---- events from outside ----------------------------------------------------------------------

/// Stands for all that is outside of the process. Data may pass between threads through it.
constexpr char kOutside{};

void meet_outside() {
  HostRaces::releases(&kOutside);
  HostRaces::acquired(&kOutside);
}

void comes(const char* function) {
  const Doing doing(Label::of(function));
  if (!doing) return;
  doing.offer();
  meet_outside();
}

int awaits(const char* function, bool (*is_there)(void* what), void* what, const Moment* end) {
  const Doing doing(Label::of(function));
  if (!doing) return kNotOurs;
  const std::function<bool()> done = [is_there, what] { return is_there(what); };
  doing.allow_cancel(true);
  const Woken woken = Doing::baton().await(*doing, done, HeldClock::rest_until(end));
  meet_outside();
  return static_cast<int>(woken);
}

}  // namespace

void add_waits(TurnHooks& hooks) {
  hooks.cancels = cancels;
  hooks.join = join;
  hooks.take = take;
  hooks.try_take = try_take;
  hooks.post = post;
  hooks.futex = futex;
  hooks.yield = yield;
  hooks.sleep = sleep_for;
  hooks.sleep_until = sleep_until;
  hooks.now = now;
  hooks.comes = comes;
  hooks.awaits = awaits;
}

}  // namespace harness::entries
