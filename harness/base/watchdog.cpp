// SPDX-License-Identifier: Apache-2.0
#include "harness/base/watchdog.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "harness/base/crash/allocator.h"
#include "harness/base/crash/crash.h"
#include "harness/base/sanitizers/sanitizers.h"

namespace harness {
namespace {

constexpr int kSignal = SIGVTALRM;
constexpr long kTickNanoseconds = 250'000'000;
/// Number of ticks that find the same step after one that saw it first. Ticks are counted rather
/// than time, because many ticks count as one after the machine was suspended.
constexpr int kEndlessTicks = kEndlessSeconds * 1'000'000'000L / kTickNanoseconds;

static_assert(kEndlessSeconds == 2, "the words below say it");
constexpr const char* kWords = "no turn was taken in 2 s of processor time";

/// The step that the last tick of this thread saw, and the number of ticks since the first that saw
/// it.
struct Seen {
  Watched::Place place;
  int ticks = 0;
};
constinit thread_local Seen seen;

constinit struct sigaction previous_action{};

bool is_endless(const Watched::Place& place) {
  if (place.steps != 0 && place == seen.place) return ++seen.ticks >= kEndlessTicks;
  seen = {place, 0};
  return false;
}

/// Handles the signal as if the harness were not there, because it is not from one of our timers.
void pass_on_signal(int number, siginfo_t* info, void* context) {
  if ((previous_action.sa_flags & SA_SIGINFO) != 0)
    return previous_action.sa_sigaction(number, info, context);
  if (previous_action.sa_handler == SIG_IGN) return;
  if (previous_action.sa_handler != SIG_DFL) return previous_action.sa_handler(number);
  signal(number, SIG_DFL);
  raise(number);
}

void ticked(int number, siginfo_t* info, void* context) {
  const int error = errno;
  const bool ours = info->si_code == SI_TIMER && info->si_value.sival_ptr == &previous_action;
  if (!ours) {
    pass_on_signal(number, info, context);
  } else if (is_endless(Watched::place()) && !check_has_failed && !in_allocator()) {
    seen = {};
    crash_here({kEndlessLoop, kWords});
  }
  errno = error;
}

bool take_ticks() {
  struct sigaction action{};
  action.sa_sigaction = &ticked;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
  sigemptyset(&action.sa_mask);
  return sigaction(kSignal, &action, &previous_action) == 0;
}

class Timer {
 public:
  Timer() {
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = kSignal;
    event.sigev_value.sival_ptr = &previous_action;
    event._sigev_un._tid = gettid();  // The name in the manual is a macro of newer C libraries.
    made_ = timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer_) == 0;
    if (!made_) return;
    const itimerspec interval{{0, kTickNanoseconds}, {0, kTickNanoseconds}};
    timer_settime(timer_, 0, &interval, nullptr);
    unblock();
  }
  ~Timer() {
    if (made_) timer_delete(timer_);
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  static void unblock() {
    sigset_t ticks;
    sigemptyset(&ticks);
    sigaddset(&ticks, kSignal);
    pthread_sigmask(SIG_UNBLOCK, &ticks, nullptr);
  }

  timer_t timer_{};
  bool made_ = false;
};

}  // namespace

// Read in a handler, while the code under test may change it.
Watched::Place Watched::place() {
  if (innermost_ == nullptr || innermost_->turns_ == nullptr) return {};
  return {steps_, *const_cast<const volatile Tick*>(innermost_->turns_)};
}

void watch_for_endless_loops() {
  if constexpr (kTsan) return;
  static const bool taken = take_ticks();
  if (!taken) return;
  static thread_local const Timer timer;
  (void)timer;
}

}  // namespace harness
