// SPDX-License-Identifier: Apache-2.0
// Baton, continued: the watch over the thread with the baton. If it makes no step for a long time,
// it is in a wait that is not observed, and others run beside it.
#include <unistd.h>

#include <algorithm>

#include "harness/base/process/standstill.h"
#include "harness/client/inside/libcuda/system_threads.h"
#include "harness/client/inside/libcuda/turns/baton.h"

namespace harness::entries {
namespace {

using std::chrono::milliseconds;

/// A sleeping thread without a step for this long counts as blocked.
constexpr milliseconds kQuiet{1000};
/// After this long without a step, others run beside it even if it is busy.
constexpr milliseconds kStill{5000};
/// Limit of a thread's processor time without a step, in ns.
constexpr std::int64_t kMostRun = 500'000'000;
/// Number of checks that find it asleep until it counts as blocked: if the kernel says that it
/// waits for another thread, and otherwise.
constexpr unsigned kLooksAtWait = 2;
constexpr unsigned kLooksAtSleep = 20;

std::int64_t time_of(clockid_t clock) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * kSecond + now.tv_nsec;
}

}  // namespace

void Baton::look_after_holder() {
  if (holds_time_) return look_at_kernel();
  const Clock::time_point now = Clock::now();
  if (progress_ != seen_progress_ || holder_->id == 0) still_since_ = quiet_since_ = now;
  if (!is_asleep(holder_->id)) quiet_since_ = now;
  seen_progress_ = progress_;
  const bool is_quiet = now - quiet_since_ >= kQuiet;
  if (!is_quiet && now - still_since_ < kStill) return;
  lose_holder(!is_quiet);
}

/// Depends on no clock except the holder's processor time.
void Baton::look_at_kernel() {
  if (holder_->id == 0) return;
  const std::int64_t run = time_of(holder_->processor);
  const bool is_new = progress_ != seen_progress_ || holder_ != seen_holder_;
  seen_progress_ = progress_;
  seen_holder_ = holder_;
  const bool is_quiet = !is_new && run == seen_run_ && is_asleep(holder_->id);
  seen_run_ = run;
  if (is_new || judge_.is_in_driver()) run_before_ = run;
  quiet_looks_ = is_quiet && !judge_.is_in_driver() ? quiet_looks_ + 1 : 0;
  const bool is_busy = run - run_before_ >= kMostRun;
  if (is_busy) return lose_holder(true);
  if (quiet_looks_ < kLooksAtWait) return;
  const bool waits = standstill_of(::getpid(), holder_->id) != Standstill::none;
  if (waits || quiet_looks_ >= kLooksAtSleep) lose_holder(false);
}

void Baton::lose_holder(bool is_busy) {
  BatonThread& lost = *holder_;
  give_to_anyone(&lost);
  if (holder_ == &lost) return;
  lost.state = BatonThread::State::unseen;
  judge_.lost(lost, is_busy);
}

std::string Baton::words_of_holds(pid_t id) {
  const Lock lock(mutex_, std::try_to_lock);
  const auto holder = std::ranges::find(threads_, id, &BatonThread::id);
  if (!lock.owns_lock() || holder == threads_.end()) return {};
  std::string others;
  for (const BatonThread& thread : threads_) {
    const bool is_wanted =
        thread.parked_on != nullptr &&
        std::ranges::find(holder->holds, thread.parked_on) != holder->holds.end();
    if (is_wanted) others += (others.empty() ? "" : " and ") + thread.shown;
  }
  return others;
}

}  // namespace harness::entries
