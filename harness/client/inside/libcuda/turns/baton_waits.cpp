// SPDX-License-Identifier: Apache-2.0
// Baton, continued: waits that end by a wake, threads of the driver, and time.
#include <unistd.h>

#include <algorithm>

#include "harness/client/inside/libcuda/turns/baton.h"

namespace harness::entries {

/// Number of steps for which a yield counts.
constexpr std::uint32_t kStepsInYield = 50;
constexpr std::int64_t kMicrosecond = 1'000;

// ---- waits that end by a wake ------------------------------------------------------------------

void Baton::will_park(BatonThread& me, const void* on, std::uint32_t bits, bool may_look_again) {
  const Lock lock(mutex_);
  me.parked_on = on;
  me.parked_bits = bits;
  me.may_look_again = may_look_again;
  me.is_woken = false;
  ++parked_count_;
}

Woken Baton::park(BatonThread& me, Limit limit) {
  const Woken woken = wait(me, [&me] { return me.is_woken; }, limit, false);
  const Lock lock(mutex_);
  me.parked_on = nullptr;
  --parked_count_;
  return woken;
}

std::uint32_t Baton::unpark(const void* on, std::uint32_t count, std::uint32_t bits) {
  const Lock lock(mutex_);
  std::uint32_t woken = 0;
  while (woken < count && parked_count_ != 0) {
    BatonThread* first = nullptr;
    for (BatonThread& thread : threads_)
      if (thread.parked_on == on && !thread.is_woken && (thread.parked_bits & bits) != 0 &&
          (first == nullptr || thread.wait_number < first->wait_number))
        first = &thread;
    if (first == nullptr) break;
    first->is_woken = true;
    ++woken;
  }
  if (woken != 0)
    for (BatonThread& thread : threads_) thread.has_looked_again = false;
  return woken;
}

bool Baton::yield(BatonThread& me) {
  Lock lock(mutex_);
  if (holder_ != &me) {
    lock.unlock();
    hand_to(me, me);
    return true;
  }
  ++progress_;
  std::vector<BatonThread*> options = ready_others(me);
  steps_in_turn_ += kStepsInYield;
  if (options.empty() && steps_in_turn_ >= kStepsInTurn) {
    steps_in_turn_ = 0;
    if (BatonThread* late = first_of_the_late(); late != nullptr) options.push_back(late);
  }
  if (options.empty()) return false;
  options.push_back(&me);
  lock.unlock();
  BatonThread* const chosen = options[judge_.next(me, At::wait, options)];
  if (chosen == &me) return false;
  hand_to(me, *chosen);
  return true;
}

// ---- threads of the driver --------------------------------------------------------------------

/// Also makes the calling thread `own`, if the previous one was ended by a host function.
void Baton::await_due(BatonThread& own) {
  Lock lock(mutex_);
  const bool comes = mine() != &own || own.id != ::gettid();
  if (comes) become(own);
  // If a turn was granted before this thread existed, it was granted for what is due now.
  if (holder_ == &own && !(comes && (*own.is_due)())) {
    own.state = BatonThread::State::waits;
    own.done = own.is_due;
    own.limit.reset();
    own.wait_number = ++wait_count_;
    pass_on(lock, own, At::wait);
  }
  wait_for_turn(lock, own);
}

void Baton::let_due_go(BatonThread& me) {
  for (;;) {
    Lock lock(mutex_);
    const auto due = std::ranges::find_if(threads_, [&](const BatonThread& thread) {
      return &thread != &me && thread.is_own && is_ready(thread);
    });
    if (holder_ != &me || due == threads_.end()) return;
    due->handed_by = &me;
    lock.unlock();
    hand_to(me, *due);
  }
}

BatonThread* Baton::find(pthread_t handle) {
  const Lock lock(mutex_);
  BatonThread* found = nullptr;
  for (BatonThread& thread : threads_)
    if (pthread_equal(thread.handle, handle) != 0) found = &thread;
  return found;
}

// ---- time -------------------------------------------------------------------------------------

/// A thread that reads the clock repeatedly waits for time to pass, so each reading advances it
/// more than the one before.
std::int64_t Baton::look_at_clock() {
  const Lock lock(mutex_);
  return tick_ += ++looks_in_turn_ * kMicrosecond;
}

}  // namespace harness::entries
