// SPDX-License-Identifier: Apache-2.0
// Baton, continued: time limits that pass although other threads can run.
//
// How it works. A short limit makes the thread one of those that can run next. Whether a longer one
// passes is a choice of its own, because it is rare: the process was stopped, or the other threads
// were slow. All clocks then show that limit, so earlier limits of other threads have passed, too.
#include <algorithm>

#include "harness/client/inside/libcuda/turns/baton.h"
#include "harness/client/inside/libcuda/turns/held_clock.h"

namespace harness::entries {

/// A thread's waits time out early only a few times, so that a thread which waits in a loop does
/// not keep the others from running.
constexpr std::uint32_t kMostEarly = 4;
/// Longest time, in ns, after which a thread is one of those that can run next.
constexpr std::int64_t kLight = 100'000'000;

BatonThread* Baton::light_waiter() {
  BatonThread* first = holds_time_ ? first_in_time() : nullptr;
  if (first == nullptr || first->limit_tick - tick_ > kLight || is_ready(*first)) return nullptr;
  const bool may_end = !first->is_outside && first->early_count < kMostEarly;
  return first->is_sleeping || may_end ? first : nullptr;
}

bool Baton::is_early(const BatonThread& thread) const {
  return holds_time_ && thread.limit && !thread.is_outside && !thread.is_timed_out &&
         !is_ready(thread);
}

/// A wait for an event from outside ends by the event if there is one.
bool Baton::may_expire(const BatonThread& thread) const {
  const bool is_light = holds_time_ && !thread.is_outside && thread.limit_tick - tick_ <= kLight;
  return !is_light && thread.state == BatonThread::State::waits && thread.limit &&
         thread.early_count < kMostEarly && !is_ready(thread) &&
         !(thread.is_outside && (*thread.done)());
}

BatonThread* Baton::expired(Lock& lock, BatonThread& me, At at) {
  if (at == At::unseen_line || at == At::locked_call) return nullptr;
  std::vector<BatonThread*> waiters;
  for (BatonThread& thread : threads_)
    if (may_expire(thread)) waiters.push_back(&thread);
  if (waiters.empty()) return nullptr;
  lock.unlock();
  const std::size_t chosen = judge_.expires(me, at, waiters);
  lock.lock();
  if (chosen == 0 || holder_ != &me) return nullptr;
  waiters[chosen - 1]->is_expiring = true;
  return waiters[chosen - 1];
}

void Baton::time_out(BatonThread& thread) {
  if (!thread.is_sleeping || thread.is_expiring) ++thread.early_count;
  if (!holds_time_) HeldClock::skip(*thread.limit - Clock::now());
  thread.is_timed_out = true;
  thread.is_expiring = false;
  tick_ = std::max(tick_, thread.limit_tick);
}

}  // namespace harness::entries
