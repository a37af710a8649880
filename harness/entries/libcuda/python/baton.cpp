// How it works. Whoever has no baton waits for a semaphore of its own, and looks around now and
// then: while nobody has the baton, whether somebody can go on; else whether the one that has it
// stands still without a step, which is a wait that nobody sees.
#include "harness/entries/libcuda/python/baton.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "harness/entries/libcuda/system_threads.h"

namespace harness::entries {
namespace {

using std::chrono::milliseconds;

/// After so many steps of one thread another one goes on, as the interpreter's clock would have it.
constexpr std::uint32_t kStepsInTurn = 1'000;
constexpr milliseconds kLookOften{1};
constexpr milliseconds kLookSeldom{50};
constexpr milliseconds kSignalsSeen{100};
/// So long without a step, asleep whenever looked at, and a thread is taken to wait;
constexpr milliseconds kQuiet{1000};
/// so long, and it is left to itself though it does something.
constexpr milliseconds kStill{5000};

thread_local BatonThread* my_thread = nullptr;
/// A signal of ours has come to this thread.
thread_local bool is_asked = false;
Baton* only_baton = nullptr;

/// Waits for the semaphore as the system does, for so long. Returns 0, or the error's number.
int wait_for(sem_t& semaphore, milliseconds limit) {
  static const auto wait = [] {
    void* found = dlsym(RTLD_DEFAULT, kSystemWait);
    return found != nullptr ? reinterpret_cast<SystemWait>(found) : &sem_clockwait;
  }();
  constexpr long kSecond = 1'000'000'000;
  timespec end{};
  clock_gettime(CLOCK_MONOTONIC, &end);
  const long nanoseconds = end.tv_nsec + std::chrono::nanoseconds(limit).count();
  end.tv_sec += nanoseconds / kSecond;
  end.tv_nsec = nanoseconds % kSecond;
  return wait(&semaphore, CLOCK_MONOTONIC, &end) == 0 ? 0 : errno;
}

}  // namespace

Baton::Baton(Judge& judge) : judge_(judge) {
  only_baton = this;
  pthread_atfork(before_fork, after_fork, begin_child);
}

BatonThread* Baton::mine() { return my_thread; }

BatonThread& Baton::begin(Name name, std::string shown) {
  BatonThread& me = add(name, std::move(shown));
  my_thread = &me;
  me.id = ::gettid();
  me.is_first = true;
  const Lock lock(mutex_);
  me.state = BatonThread::State::goes_on;
  holder_ = &me;
  return me;
}

BatonThread& Baton::add(Name name, std::string shown) {
  const Lock lock(mutex_);
  BatonThread& thread = threads_.emplace_back();
  thread.name = name;
  thread.shown = std::move(shown);
  sem_init(&thread.turn, 0, 0);
  ++living_count_;
  return thread;
}

void Baton::remove(BatonThread& thread) {
  const Lock lock(mutex_);
  thread.state = BatonThread::State::over;
  --living_count_;
}

void Baton::enter(BatonThread& me) {
  my_thread = &me;
  Lock lock(mutex_);
  me.id = ::gettid();
  wait_for_turn(lock, me);
}

// ---- who can go on ----------------------------------------------------------------------------

bool Baton::is_ready(const BatonThread& thread) {
  if (thread.state == BatonThread::State::ready) return true;
  if (thread.state != BatonThread::State::waits) return false;
  return thread.is_interrupted || (!thread.is_outside && (*thread.done)());
}

/// In the order of their starts, from the one after `me` on, round and round.
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

/// Returns whose wait is the next to end by the clock, where its time is over.
BatonThread* Baton::first_in_time() {
  BatonThread* first = nullptr;
  const auto earlier = [](const BatonThread& left, const BatonThread& right) {
    return std::pair(left.limit_tick, left.wait_number) <
           std::pair(right.limit_tick, right.wait_number);
  };
  for (BatonThread& thread : threads_)
    if (thread.state == BatonThread::State::waits && thread.limit &&
        (first == nullptr || earlier(thread, *first)))
      first = &thread;
  return first != nullptr && *first->limit <= Clock::now() ? first : nullptr;
}

/// Something from elsewhere comes first, and to who has waited for longer.
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

// ---- handing on -------------------------------------------------------------------------------

void Baton::give(BatonThread& thread) {
  thread.state = BatonThread::State::goes_on;
  holder_ = &thread;
  steps_in_turn_ = 0;
  ++progress_;
  sem_post(&thread.turn);
}

void Baton::give_to_anyone(const BatonThread* but) {
  for (BatonThread& thread : threads_)
    if (&thread != but && is_ready(thread)) return give(thread);
  if (BatonThread* late = first_of_the_late(); late != nullptr) give(*late);
}

void Baton::pass_on(Lock& lock, BatonThread& me, At at) {
  const std::vector<BatonThread*> ready = ready_others(me);
  std::size_t chosen = 0;
  if (ready.size() > 1) {
    lock.unlock();
    chosen = judge_.next(me, at, ready);
    lock.lock();
    if (holder_ != &me) return;
  }
  if (!ready.empty()) return give(*ready[chosen]);
  holder_ = nullptr;
  keeper_ = &me;
  give_to_anyone(nullptr);
}

void Baton::wait_for_turn(Lock& lock, BatonThread& me) {
  const Clock::time_point begin = Clock::now();
  while (holder_ != &me) {
    const bool keeps = holder_ == nullptr && (keeper_ == &me || keeper_ == nullptr);
    lock.unlock();
    const int error = wait_for(me.turn, keeps ? kLookOften : kLookSeldom);
    const bool is_interrupted = error == EINTR && !std::exchange(is_asked, false);
    lock.lock();
    // A signal that came between two looks has left no other trace: where all wait, the first
    // thread, whose they are, sees to them now and then.
    const bool is_due =
        me.is_first && !me.limit && holder_ == nullptr && Clock::now() - begin >= kSignalsSeen;
    me.is_interrupted = me.is_interrupted || is_interrupted || is_due;
    if (holder_ == nullptr)
      give_to_anyone(nullptr);
    else if (holder_ != &me)
      look_after_holder();
  }
  while (sem_trywait(&me.turn) == 0) {
  }
}

void Baton::look_after_holder() {
  const Clock::time_point now = Clock::now();
  if (progress_ != seen_progress_ || holder_->id == 0) still_since_ = quiet_since_ = now;
  if (!is_asleep(holder_->id)) quiet_since_ = now;
  seen_progress_ = progress_;
  const bool is_quiet = now - quiet_since_ >= kQuiet;
  if (!is_quiet && now - still_since_ < kStill) return;
  BatonThread& lost = *holder_;
  give_to_anyone(&lost);
  if (holder_ == &lost) return;
  lost.state = BatonThread::State::unseen;
  judge_.lost(lost, !is_quiet);
}

BatonThread* Baton::next(BatonThread& me, At at, bool may_ask) {
  Lock lock(mutex_);
  if (holder_ != &me) return &me;
  ++progress_;
  // A call that keeps the lock is no step: it is none where nobody asks there.
  const bool is_long = at != At::locked_call && ++steps_in_turn_ >= kStepsInTurn;
  if (!is_long && !may_ask) return nullptr;
  std::vector<BatonThread*> options = ready_others(me);
  if (is_long) {
    steps_in_turn_ = 0;
    if (!options.empty()) return options.front();
    return first_of_the_late();
  }
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
    const bool waits_on = thread.state == waits && !thread.limit && !thread.is_outside;
    if (!waits_on || is_ready(thread)) return false;
    is_one = is_one || thread.id == id;
  }
  return is_one;
}

void Baton::ignore_interruption() { is_asked = true; }

void Baton::hand_to(BatonThread& me, BatonThread& other) {
  Lock lock(mutex_);
  me.state = BatonThread::State::ready;
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
  me.is_interrupted = me.is_timed_out = false;
  me.wait_number = ++wait_count_;
  me.limit.reset();
  if (limit) {
    me.limit = Clock::now() + *limit;
    me.limit_tick =
        tick_ + std::max<std::int64_t>(0, std::chrono::ceil<milliseconds>(*limit).count());
  }
  if (holder_ == &me) pass_on(lock, me, At::wait);
  wait_for_turn(lock, me);
  me.done = nullptr;
  if (me.is_timed_out) return Woken::timed_out;
  return me.is_interrupted ? Woken::interrupted : Woken::ready;
}

void Baton::leave(BatonThread& me) {
  Lock lock(mutex_);
  me.state = BatonThread::State::over;
  --living_count_;
  if (holder_ == &me) pass_on(lock, me, At::end);
  if (holder_ == nullptr) keeper_ = nullptr;
  my_thread = nullptr;
}

// ---- fork() -----------------------------------------------------------------------------------

void Baton::before_fork() { only_baton->mutex_.lock(); }

void Baton::after_fork() { only_baton->mutex_.unlock(); }

/// Keeps the calling thread alone: the others are not in the child.
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
  baton.mutex_.unlock();
}

}  // namespace harness::entries
