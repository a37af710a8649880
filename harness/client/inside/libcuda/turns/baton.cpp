// SPDX-License-Identifier: Apache-2.0
// How it works. A thread without the baton waits for its semaphore, and checks the state
// periodically. If no thread has the baton, it checks whether one can run. Otherwise it checks
// whether the thread with the baton makes no progress, because it is in a wait that is not
// observed.
#include "harness/client/inside/libcuda/turns/baton.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace harness::entries {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLookOften{1};
constexpr milliseconds kLookSeldom{50};
constexpr milliseconds kSignalsSeen{100};
/// The same, if the kernel is asked for the thread's state.
constexpr milliseconds kLookAtKernel{4};

thread_local BatonThread* my_thread = nullptr;
thread_local unsigned inside = 0;
/// A signal of ours has arrived on this thread.
thread_local bool is_asked = false;
Baton* only_baton = nullptr;

/// The system's function. It is looked up when the library is loaded: in the child of a fork, a
/// guard that another thread held at the fork would never be released.
const SystemWait system_wait = [] {
  void* found = dlsym(RTLD_DEFAULT, kSystemWait);
  return found != nullptr ? reinterpret_cast<SystemWait>(found) : &sem_clockwait;
}();

/// Waits for the semaphore by the system's function, up to this limit. Returns 0, or the error
/// number.
int wait_for(sem_t& semaphore, milliseconds limit) {
  constexpr long kSecond = 1'000'000'000;
  timespec end{};
  clock_gettime(CLOCK_MONOTONIC, &end);
  const long nanoseconds = end.tv_nsec + std::chrono::nanoseconds(limit).count();
  end.tv_sec += nanoseconds / kSecond;
  end.tv_nsec = nanoseconds % kSecond;
  return system_wait(&semaphore, CLOCK_MONOTONIC, &end) == 0 ? 0 : errno;
}

}  // namespace

Baton::Inside::Inside() { ++inside; }
Baton::Inside::~Inside() { --inside; }
bool Baton::Inside::is_any() { return inside != 0; }

Baton::Clock::time_point Baton::Clock::now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return time_point(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

void Baton::become(BatonThread& me) {
  my_thread = &me;
  me.id = ::gettid();
  me.handle = pthread_self();
  pthread_getcpuclockid(me.handle, &me.processor);
}

Baton::Baton(Judge& judge) : judge_(judge) {
  only_baton = this;
  pthread_atfork(before_fork, after_fork, begin_child);
}

BatonThread* Baton::mine() { return my_thread; }

BatonThread& Baton::begin(Name name, std::string shown, bool holds_time) {
  BatonThread& me = add(name, std::move(shown));
  become(me);
  me.is_first = true;
  const Lock lock(mutex_);
  me.state = BatonThread::State::goes_on;
  holder_ = &me;
  holds_time_ = holds_time;
  return me;
}

BatonThread& Baton::add(Name name, std::string shown, const std::function<bool()>* is_due) {
  const Lock lock(mutex_);
  BatonThread& thread = threads_.emplace_back();
  thread.name = name;
  thread.shown = std::move(shown);
  thread.number = threads_.size() - 1;
  sem_init(&thread.turn, 0, 0);
  if (is_due != nullptr) {
    thread.is_own = thread.is_native = true;
    thread.is_due = thread.done = is_due;
    thread.state = BatonThread::State::waits;
  }
  ++living_count_;
  return thread;
}

void Baton::remove(BatonThread& thread) {
  const Lock lock(mutex_);
  thread.state = BatonThread::State::over;
  --living_count_;
}

void Baton::enter(BatonThread& me) {
  Lock lock(mutex_);
  become(me);
  wait_for_turn(lock, me);
}

// ---- threads that can run ----------------------------------------------------------------------

bool Baton::is_ready(const BatonThread& thread) {
  if (thread.state == BatonThread::State::ready) return true;
  if (thread.state != BatonThread::State::waits) return false;
  return thread.is_interrupted || (!thread.is_outside && !thread.is_sleeping && (*thread.done)());
}

/// Returns them in the order of their starts, beginning after `me` and wrapping around.
std::vector<BatonThread*> Baton::ready_others(const BatonThread& me) {
  std::vector<BatonThread*> before;
  std::vector<BatonThread*> after;
  bool is_after = false;
  for (BatonThread& thread : threads_)
    if (&thread == &me)
      is_after = true;
    else if (is_ready(thread))
      (is_after ? after : before).push_back(&thread);
  after.insert(after.end(), before.begin(), before.end());
  return after;
}

/// Returns whether its limit has passed. Held time passes at once, except while another thread
/// waits for an event from outside.
bool Baton::is_eligible(const BatonThread& thread, bool is_paced) const {
  return (holds_time_ && !is_paced) || *thread.limit <= Clock::now();
}

/// Returns the thread whose limit is the next by the clock, if it has passed; else null.
BatonThread* Baton::first_in_time() {
  BatonThread* first = nullptr;
  const auto earlier = [](const BatonThread& left, const BatonThread& right) {
    return std::pair(left.limit_tick, left.wait_number) <
           std::pair(right.limit_tick, right.wait_number);
  };
  bool is_paced = false;
  for (BatonThread& thread : threads_) {
    if (thread.state != BatonThread::State::waits) continue;
    is_paced = is_paced || thread.is_outside;
    if (thread.limit && (first == nullptr || earlier(thread, *first))) first = &thread;
  }
  return first != nullptr && is_eligible(*first, is_paced) ? first : nullptr;
}

/// Events from outside precede limits; the longest wait comes first.
BatonThread* Baton::first_of_the_late() {
  BatonThread* first = nullptr;
  for (BatonThread& thread : threads_)
    if (thread.state == BatonThread::State::waits && thread.is_outside && (*thread.done)() &&
        (first == nullptr || thread.wait_number < first->wait_number))
      first = &thread;
  if (first != nullptr) return first;
  first = first_in_time();
  if (first == nullptr) return nullptr;
  first->is_timed_out = true;
  tick_ = std::max(tick_, first->limit_tick);
  return first;
}

// ---- passing the baton on ---------------------------------------------------------------------

void Baton::give(BatonThread& thread) {
  const bool is_out = thread.is_sleeping || thread.is_expiring || is_early(thread);
  if (thread.state == BatonThread::State::waits && is_out) time_out(thread);
  thread.state = BatonThread::State::goes_on;
  holder_ = &thread;
  steps_in_turn_ = looks_in_turn_ = 0;
  has_told_ = false;
  ++progress_;
  schedule_ = {mix(mix(schedule_.hash, thread.name), thread.coming_nth),
               schedule_.switch_count + 1};
  sem_post(&thread.turn);
}

void Baton::give_to_anyone(const BatonThread* but) {
  for (BatonThread& thread : threads_)
    if (&thread != but && is_ready(thread)) return give(thread);
  if (BatonThread* late = first_of_the_late(); late != nullptr) give(*late);
}

void Baton::pass_on(Lock& lock, BatonThread& me, At at) {
  std::vector<BatonThread*> ready = ready_others(me);
  if (BatonThread* waiter = ready.empty() ? nullptr : light_waiter(); waiter != nullptr)
    if (waiter != &me) ready.push_back(waiter);
  std::size_t chosen = 0;
  // The thread that released one of the driver's threads is the first to run after it.
  if (const auto by = std::ranges::find(ready, std::exchange(me.handed_by, nullptr));
      by != ready.end())
    std::rotate(ready.begin(), by, by + 1);
  keeper_ = &me;
  BatonThread* const late = ready.empty() ? nullptr : expired(lock, me, at);
  if (holder_ != &me) return;
  if (late != nullptr) return give(*late);
  if (ready.size() > 1) {
    lock.unlock();
    chosen = judge_.next(me, at, ready);
    lock.lock();
    if (holder_ != &me) return;
  }
  if (!ready.empty()) return give(*ready[chosen]);
  holder_ = nullptr;
  give_to_anyone(nullptr);
}

void Baton::wait_for_turn(Lock& lock, BatonThread& me) {
  const Clock::time_point begin = Clock::now();
  int cancel_state = PTHREAD_CANCEL_ENABLE;
  const bool is_kept = me.is_native && !me.is_cancellable;
  if (is_kept) pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
  while (holder_ != &me) {
    const bool keeps = keeper_ == &me || keeper_ == nullptr;
    const milliseconds limit = keeps && holder_ == nullptr ? kLookOften
                               : keeps && holds_time_      ? kLookAtKernel
                                                           : kLookSeldom;
    lock.unlock();
    const int error = wait_for(me.turn, limit);
    const bool is_interrupted = error == EINTR && !std::exchange(is_asked, false);
    lock.lock();
    // A signal between two checks leaves no other trace. If all threads wait, the first one, which
    // gets the signals, is interrupted from time to time to handle them.
    const bool is_due =
        me.is_first && !me.limit && holder_ == nullptr && Clock::now() - begin >= kSignalsSeen;
    me.is_interrupted = me.is_interrupted || (!me.is_native && (is_interrupted || is_due));
    if (holder_ == nullptr)
      see_to_all();
    else if (holder_ != &me && error != 0)
      look_after_holder();
  }
  while (sem_trywait(&me.turn) == 0) {
  }
  if (is_kept) pthread_setcancelstate(cancel_state, nullptr);
}

/// Called if no thread has the baton.
void Baton::see_to_all() {
  give_to_anyone(nullptr);
  if (holder_ != nullptr || !holds_time_ || has_told_ || !all_stand()) return;
  if (look_again()) return give_to_anyone(nullptr);
  has_told_ = true;
  judge_.stand();
}

bool Baton::all_stand() const {
  using enum BatonThread::State;
  return std::ranges::all_of(threads_, [](const BatonThread& thread) {
    const bool waits_on =
        thread.state == waits && !thread.limit && !thread.is_outside && !is_ready(thread);
    return thread.state == over || (waits_on && !thread.is_cancelled);
  });
}

bool Baton::look_again() {
  bool is_one = false;
  for (BatonThread& thread : threads_) {
    if (thread.state != BatonThread::State::waits || thread.parked_on == nullptr ||
        !thread.may_look_again || thread.has_looked_again)
      continue;
    thread.is_woken = thread.has_looked_again = is_one = true;
  }
  return is_one;
}

BatonThread* Baton::next(BatonThread& me, At at, bool may_ask) {
  Lock lock(mutex_);
  if (holder_ != &me) return &me;
  ++progress_;
  // A call that keeps the lock is not a step, because without force no choice is made there.
  const bool is_long = at != At::locked_call && ++steps_in_turn_ >= kStepsInTurn;
  if (!is_long && !may_ask) return nullptr;
  std::vector<BatonThread*> options = ready_others(me);
  if (is_long) {
    steps_in_turn_ = looks_in_turn_ = 0;
    if (!options.empty()) return options.front();
    return first_of_the_late();
  }
  if (BatonThread* late = expired(lock, me, at); late != nullptr || holder_ != &me) return late;
  if (BatonThread* waiter = light_waiter(); waiter != nullptr) options.push_back(waiter);
  if (options.empty()) return nullptr;
  options.insert(options.begin(), &me);
  lock.unlock();
  const std::size_t chosen = judge_.next(me, at, options);
  return chosen != 0 ? options[chosen] : nullptr;
}

bool Baton::others_may_go_on(const BatonThread& me) {
  const Lock lock(mutex_);
  return std::ranges::any_of(threads_, [&](const BatonThread& thread) {
    const bool is_late =
        thread.state == BatonThread::State::waits && (thread.limit || thread.is_outside);
    const bool is_lost = thread.state == BatonThread::State::unseen;
    return &thread != &me && (is_late || is_lost || is_ready(thread));
  });
}

bool Baton::is_stuck(pid_t id) {
  using enum BatonThread::State;
  const Lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || holder_ != nullptr) return false;
  bool is_one = false;
  for (const BatonThread& thread : threads_) {
    if (thread.state == unseen || thread.state == over) continue;
    const bool waits_on =
        thread.state == waits && !thread.limit && !thread.is_outside && !thread.is_cancelled;
    if (!waits_on || is_ready(thread)) return false;
    is_one = is_one || thread.id == id;
  }
  return is_one;
}

void Baton::ignore_interruption() { is_asked = true; }

void Baton::hand_to(BatonThread& me, BatonThread& other) {
  Lock lock(mutex_);
  me.state = BatonThread::State::ready;
  keeper_ = &me;
  if (holder_ == &me && &other != &me) give(other);
  wait_for_turn(lock, me);
}

Woken Baton::wait(BatonThread& me, const std::function<bool()>& done, Limit limit) {
  return wait(me, done, limit, false);
}

Woken Baton::await(BatonThread& me, const std::function<bool()>& done, Limit limit) {
  return wait(me, done, limit, true);
}

Woken Baton::wait(BatonThread& me, const std::function<bool()>& done, Limit limit,
                  bool is_outside) {
  Lock lock(mutex_);
  ++progress_;
  me.state = BatonThread::State::waits;
  me.done = &done;
  me.is_outside = is_outside;
  me.is_sleeping = !done;
  me.is_interrupted = me.is_timed_out = me.is_expiring = false;
  me.wait_number = ++wait_count_;
  me.limit.reset();
  if (limit) {
    me.limit = Clock::now() + *limit;
    const std::chrono::nanoseconds rest =
        holds_time_ ? *limit : std::chrono::ceil<milliseconds>(*limit);
    me.limit_tick = tick_ + std::max<std::int64_t>(0, rest.count());
  }
  if (holder_ == &me) pass_on(lock, me, At::wait);
  wait_for_turn(lock, me);
  me.done = nullptr;
  me.is_sleeping = false;
  if (me.is_timed_out) return Woken::timed_out;
  return me.is_interrupted ? Woken::interrupted : Woken::ready;
}

// ---- the end ----------------------------------------------------------------------------------

void Baton::leave(BatonThread& me) {
  Lock lock(mutex_);
  me.state = BatonThread::State::over;
  if (std::exchange(me.parked_on, nullptr) != nullptr) --parked_count_;  // It was cancelled.
  --living_count_;
  if (holder_ == &me) pass_on(lock, me, At::end);
  if (keeper_ == &me) keeper_ = nullptr;
  my_thread = nullptr;
}

// ---- fork() -----------------------------------------------------------------------------------

void Baton::before_fork() {
  only_baton->mutex_.lock();
  ++inside;  // Other handlers of fork() make no steps.
}

/// The last action is not a C library call, which would seem to be the program's.
void Baton::after_fork() {
  only_baton->mutex_.unlock();
  --inside;
}

/// Keeps only the calling thread: the others do not exist in the child.
void Baton::begin_child() {
  Baton& baton = *only_baton;
  for (BatonThread& thread : baton.threads_)
    if (&thread != my_thread) thread.state = BatonThread::State::over;
  baton.living_count_ = my_thread != nullptr ? 1 : 0;
  baton.holder_ = my_thread;
  baton.keeper_ = nullptr;
  if (my_thread != nullptr) {
    my_thread->state = BatonThread::State::goes_on;
    my_thread->id = ::gettid();
  }
  after_fork();
}

}  // namespace harness::entries
