// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcuda/turns/held_clock.h"

#include <algorithm>

namespace harness::entries {
namespace {

Baton* baton = nullptr;
/// The time of both clocks when they were stopped.
std::int64_t real_before = 0;
std::int64_t monotonic_before = 0;
constinit std::atomic<std::int64_t> skipped_time{0};

std::int64_t present(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return HeldClock::in_nanoseconds(now);
}

/// Returns the time of a clock when it was stopped; 0 for other kinds of clocks.
std::int64_t before(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
      return real_before;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_BOOTTIME:
      return monotonic_before;
    default:
      return 0;
  }
}

}  // namespace

void HeldClock::hold(Baton& held) {
  real_before = present(CLOCK_REALTIME);
  monotonic_before = present(CLOCK_MONOTONIC);
  baton = &held;
}

bool HeldClock::tells(clockid_t clock) { return before(clock) != 0; }

std::int64_t HeldClock::now(clockid_t clock) { return before(clock) + baton->look_at_clock(); }

/// The clock of a condition variable is not known here. A time is much closer to one of the two
/// clocks.
Baton::Limit HeldClock::rest_until(const Moment* end) {
  if (end == nullptr) return std::nullopt;
  const std::int64_t at = in_nanoseconds(end->at);
  const bool is_monotonic =
      before(end->clock) != real_before || at < (real_before + monotonic_before) / 2;
  const std::int64_t shown = now(is_monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME);
  return std::chrono::nanoseconds(std::max<std::int64_t>(0, at - shown));
}

void HeldClock::skip(std::chrono::nanoseconds time) {
  if (time.count() > 0) skipped_time += time.count();
}

const std::atomic<std::int64_t>& HeldClock::skipped() { return skipped_time; }

}  // namespace harness::entries
