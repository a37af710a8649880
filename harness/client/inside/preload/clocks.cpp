// SPDX-License-Identifier: Apache-2.0
// Clocks: intercepts the C library's functions for sleeping and reading the time.
//
// How it works. If threads take turns, time passes only while all of them wait: then a sleep costs
// nothing, and its end has a place in the schedule. Otherwise the system's functions are called,
// and the clocks also show the time that was skipped.
#include <errno.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "harness/client/inside/preload/loaded_first.h"
#include "harness/client/inside/preload/turns.h"
#include "harness/client/inside/preload/waiting.h"

namespace {

using harness::entries::ask_to_sleep;
using harness::entries::kNotOurs;
using harness::entries::later;
using harness::entries::may_turn;
using harness::entries::Moment;
using harness::entries::on_system;
using harness::entries::skipped;
using harness::entries::system_function;
using harness::entries::turns;
using harness::entries::Woken;

constexpr long kSecond = 1'000'000'000;
constexpr long kMicrosecond = 1'000;

using SystemNow = int (*)(clockid_t, timespec*);

bool tells(clockid_t clock, timespec* now, const void* returns_to) {
  return may_turn(returns_to) && turns->now(clock, now) != kNotOurs;
}

/// Returns whether the thread takes turns, and then has slept for this long.
bool sleeps(const timespec& rest, const void* returns_to) {
  if (rest.tv_sec < 0 || rest.tv_nsec < 0 || rest.tv_nsec >= kSecond) return false;
  return may_turn(returns_to) && turns->sleep(rest) != kNotOurs;
}

bool sleeps(const Moment& end, const void* returns_to) {
  return may_turn(returns_to) && turns->sleep_until(end) != kNotOurs;
}

/// Returns whether the clock counts the time of the world, not that of a processor.
bool is_of_world(clockid_t clock) {
  return clock >= 0 && clock != CLOCK_PROCESS_CPUTIME_ID && clock != CLOCK_THREAD_CPUTIME_ID;
}

int look(clockid_t clock, timespec* now) {
  static const auto system = system_function<SystemNow>("clock_gettime");
  const int status = system(clock, now);
  if (const long more = skipped(); more != 0 && status == 0 && is_of_world(clock))
    *now = later(*now, more);
  return status;
}

}  // namespace

#define AFTERLIFE_CALLER __builtin_return_address(0)

AFTERLIFE_EXPORT int clock_gettime(clockid_t clock, timespec* now) noexcept {
  return tells(clock, now, AFTERLIFE_CALLER) ? 0 : look(clock, now);
}

AFTERLIFE_EXPORT int gettimeofday(timeval* now, void* zone) noexcept {
  timespec told{};
  if (tells(CLOCK_REALTIME, &told, AFTERLIFE_CALLER) ||
      (skipped() != 0 && look(CLOCK_REALTIME, &told) == 0)) {
    *now = {told.tv_sec, told.tv_nsec / kMicrosecond};
    return 0;
  }
  static const auto system = system_function<int (*)(timeval*, void*)>("gettimeofday");
  return system(now, zone);
}

AFTERLIFE_EXPORT time_t time(time_t* now) noexcept {
  timespec told{};
  if (!tells(CLOCK_REALTIME, &told, AFTERLIFE_CALLER) &&
      (skipped() == 0 || look(CLOCK_REALTIME, &told) != 0)) {
    static const auto system = system_function<time_t (*)(time_t*)>("time");
    return system(now);
  }
  if (now != nullptr) *now = told.tv_sec;
  return told.tv_sec;
}

AFTERLIFE_EXPORT int nanosleep(const timespec* wanted, timespec* rest) {
  if (wanted != nullptr && sleeps(*wanted, AFTERLIFE_CALLER)) return 0;
  static const auto system = system_function<int (*)(const timespec*, timespec*)>("nanosleep");
  return system(wanted, rest);
}

AFTERLIFE_EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* wanted,
                                     timespec* rest) {
  static const auto system =
      system_function<int (*)(clockid_t, int, const timespec*, timespec*)>("clock_nanosleep");
  const bool is_moment = (flags & TIMER_ABSTIME) != 0;
  if (is_moment ? sleeps(Moment{clock, *wanted}, AFTERLIFE_CALLER)
                : sleeps(*wanted, AFTERLIFE_CALLER))
    return 0;
  // Only sleeps with an end time are left, because Python uses only those.
  const Woken woken = is_moment ? ask_to_sleep({clock, *wanted}) : Woken::unwatched;
  const timespec end = is_moment && is_of_world(clock) ? on_system(*wanted) : *wanted;
  if (woken == Woken::unwatched) return system(clock, flags, &end, rest);
  return woken == Woken::interrupted ? EINTR : 0;
}

AFTERLIFE_EXPORT int usleep(useconds_t wanted) {
  constexpr useconds_t kInSecond = 1'000'000;
  const timespec rest{wanted / kInSecond, static_cast<long>(wanted % kInSecond) * kMicrosecond};
  if (sleeps(rest, AFTERLIFE_CALLER)) return 0;
  static const auto system = system_function<int (*)(useconds_t)>("usleep");
  return system(wanted);
}

AFTERLIFE_EXPORT unsigned sleep(unsigned wanted) {
  if (sleeps(timespec{static_cast<time_t>(wanted), 0}, AFTERLIFE_CALLER)) return 0;
  static const auto system = system_function<unsigned (*)(unsigned)>("sleep");
  return system(wanted);
}
