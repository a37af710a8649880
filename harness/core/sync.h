// SPDX-License-Identifier: Apache-2.0
// Synchronisation for tasks: the standard primitives, announced, waited for by predicate, and known
// to TSan. Targets use these instead of <thread>, <mutex> and <atomic>.
#pragma once

#include <cstdint>
#include <utility>

#include "harness/base/sanitizers/sanitizers.h"
#include "harness/core/scheduler/lock_watch.h"
#include "harness/core/scheduler/scheduler.h"

namespace harness {

/// A lock that is not re-entrant. Errors: unlocking it without holding it is a failed check.
class Mutex {
 public:
  explicit Mutex(Scheduler& scheduler, Label label = "mutex")
      : scheduler_(scheduler), label_(label), resource_(scheduler.name_next(label)) {}

  /// Waits until the mutex is free, and takes it.
  void lock() {
    LockWatch::wanted(scheduler_, {resource_, label_});
    scheduler_.wait_until(
        {resource_, AccessKind::acquire}, label_, [this] { return owner_ == TaskId::none; },
        &owner_);
    take();
  }
  /// Takes the mutex if it is free, in one turn. Returns whether it did.
  bool try_lock() {
    scheduler_.turn({resource_, AccessKind::acquire});
    return take_if_free();
  }
  /// Releases the mutex, in one turn.
  void unlock() {
    scheduler_.turn({resource_, AccessKind::release});
    give();
  }
  /// Returns whether the running task holds the mutex.
  bool held_by_current() const { return owner_ == scheduler_.current(); }
  TaskId owner() const { return owner_; }

  /// Releases the mutex and takes it again, in one turn. A waiting task may get it first.
  void offer() {
    if (!LockWatch::holds_one(scheduler_)) {
      give();
      return lock();
    }
    HARNESS_CHECK(held_by_current(), "only the owner offers");
    edge_release(this);
    owner_ = TaskId::none;
    scheduler_.touch(resource_);
    const std::uint32_t taken_before = taken_count_;
    scheduler_.turn({resource_, AccessKind::acquire});
    scheduler_.sleep_until(label_, [this] { return owner_ == TaskId::none; }, &owner_);
    owner_ = scheduler_.current();
    ++taken_count_;
    if (taken_count_ != taken_before + 1) edge_acquire(this);
  }

 private:
  friend class Condition;
  friend class Gil;
  bool take_if_free() {
    if (owner_ != TaskId::none) return false;
    take();
    return true;
  }
  void take() {
    LockWatch::taken(scheduler_, {resource_, label_});
    owner_ = scheduler_.current();
    ++taken_count_;
    edge_acquire(this);
  }
  void give() {
    HARNESS_CHECK(held_by_current(), "only the owner unlocks");
    edge_release(this);
    owner_ = TaskId::none;
    LockWatch::given(scheduler_, resource_);
    scheduler_.touch(resource_);
  }

  Scheduler& scheduler_;
  Label label_;
  Resource resource_;
  TaskId owner_ = TaskId::none;
  std::uint32_t taken_count_ = 0;
};

/// Waits for a notification, with a mutex released during the wait. Any notification after the wait
/// began may wake a waiter; there are no spurious wake-ups.
class Condition {
 public:
  explicit Condition(Scheduler& scheduler, Label label = "condition")
      : scheduler_(scheduler), label_(label), resource_(scheduler.name_next(label)) {}

  /// Releases `mutex`, waits for a notification, and takes it again.
  void wait(Mutex& mutex) {
    const std::uint64_t ticket = ++ticket_;
    mutex.give();
    scheduler_.wait_until({resource_, AccessKind::read}, label_, [&] { return served_ >= ticket; });
    edge_acquire(this);
    mutex.lock();
  }
  /// Wakes the task that has waited longest, if any waits.
  void notify_one() {
    scheduler_.turn({resource_, AccessKind::write});
    if (served_ < ticket_) ++served_;
    announce();
  }
  /// Wakes every task that waits now.
  void notify_all() {
    scheduler_.turn({resource_, AccessKind::write});
    served_ = ticket_;
    announce();
  }

 private:
  void announce() {
    edge_release(this);
    scheduler_.touch(resource_);
  }

  Scheduler& scheduler_;
  Label label_;
  Resource resource_;
  std::uint64_t ticket_ = 0;  ///< Number of waiters so far.
  std::uint64_t served_ = 0;  ///< Number of waiters woken so far, in the order in which they came.
};

/// A sequentially consistent atomic: every operation is one announced step.
template <class T>
class Atomic {
 public:
  explicit Atomic(Scheduler& scheduler, T value = {}, Label label = "atomic")
      : scheduler_(scheduler), resource_(scheduler.name_next(label)), value_(value) {}

  /// Returns the value.
  T load() {
    scheduler_.turn({resource_, AccessKind::read});
    edge_acquire(this);
    return value_;
  }
  /// Replaces the value.
  void store(T value) {
    write_turn();
    value_ = value;
  }
  /// Replaces the value, and returns the previous one.
  T exchange(T value) {
    write_turn();
    return std::exchange(value_, value);
  }
  /// Adds `delta`, and returns the previous value.
  T fetch_add(T delta) {
    write_turn();
    return std::exchange(value_, static_cast<T>(value_ + delta));
  }
  /// Replaces the value by `desired` if it equals `expected`, else stores it there. Returns whether
  /// it did.
  bool compare_exchange(T& expected, T desired) {
    write_turn();
    if (value_ == expected) {
      value_ = desired;
      return true;
    }
    expected = value_;
    return false;
  }
  /// Sleeps until `ready(value)` holds.
  template <class Ready>
  void wait_until(Label what, Ready ready) {
    scheduler_.wait_until({resource_, AccessKind::read}, what, [&] { return ready(value_); });
    edge_acquire(this);
  }

 private:
  void write_turn() {
    scheduler_.turn({resource_, AccessKind::write});
    const EdgePassage passage(this);
  }

  Scheduler& scheduler_;
  Resource resource_;
  T value_;
};

/// Opens once `count` arrivals have been counted down.
class Latch {
 public:
  Latch(Scheduler& scheduler, std::uint32_t count, Label label = "latch")
      : scheduler_(scheduler), label_(label), resource_(scheduler.name_next(label)), left_(count) {}

  /// Counts one arrival; the last one opens the latch for good.
  void count_down() {
    scheduler_.turn({resource_, AccessKind::write});
    HARNESS_CHECK(left_ > 0, "a latch is counted down at most `count` times");
    edge_release(this);
    --left_;
    scheduler_.touch(resource_);
  }
  /// Waits until the latch is open.
  void wait() {
    scheduler_.wait_until({resource_, AccessKind::read}, label_, [this] { return left_ == 0; });
    edge_acquire(this);
  }

 private:
  Scheduler& scheduler_;
  Label label_;
  Resource resource_;
  std::uint32_t left_;
};

/// Lets `count` tasks continue together, repeatedly.
class Barrier {
 public:
  Barrier(Scheduler& scheduler, std::uint32_t count, Label label = "barrier")
      : scheduler_(scheduler),
        label_(label),
        resource_(scheduler.name_next(label)),
        count_(count) {}

  /// Counts one arrival, and waits for the others of this round.
  void arrive_and_wait() { wait(arrive()); }

  /// Counts one arrival, and returns its round. The caller then waits, or checks whether the round
  /// is over.
  std::uint64_t arrive() {
    scheduler_.turn({resource_, AccessKind::write});
    edge_release(this);
    const std::uint64_t round = round_;
    if (++arrived_ == count_) {
      arrived_ = 0;
      ++round_;
      scheduler_.touch(resource_);
    }
    return round;
  }
  /// Returns whether all have arrived. Takes no turn.
  bool is_over(std::uint64_t round) const { return round_ != round; }
  /// Waits for the others of the round.
  void wait(std::uint64_t round) {
    if (!is_over(round))
      scheduler_.wait_until({resource_, AccessKind::read}, label_, [&] { return is_over(round); });
    edge_acquire(this);
  }

 private:
  Scheduler& scheduler_;
  Label label_;
  Resource resource_;
  std::uint32_t count_;
  std::uint32_t arrived_ = 0;
  std::uint64_t round_ = 0;
};

/// CPython's global interpreter lock: held while bytecode runs, and offered between any two steps.
/// With `enabled` off (free-threaded builds) it does not block tasks, but every step is still a
/// turn.
class Gil {
 public:
  Gil(Scheduler& scheduler, bool enabled)
      : scheduler_(scheduler), enabled_(enabled), mutex_(scheduler, "GIL") {}

  /// Waits for the lock and takes it, if there is one.
  void acquire() {
    if (enabled_) mutex_.lock();
  }
  /// Releases the lock, if there is one.
  void release() {
    if (enabled_) mutex_.unlock();
  }
  /// Offers the lock between two steps. A waiting task may get it first.
  void checkpoint() {
    if (!enabled_) {
      scheduler_.turn({mutex_.resource_, AccessKind::read});
      return;
    }
    mutex_.offer();
  }
  /// Releases the lock for a call, in the turn of that call.
  void give_for_call() { mutex_.give(); }
  /// Takes the lock again, in the same turn if it is free.
  void take_after_call() {
    LockWatch::wanted(scheduler_, {mutex_.resource_, mutex_.label_});
    if (!mutex_.take_if_free()) mutex_.lock();
  }
  bool enabled() const { return enabled_; }
  /// Returns whether the running task may run bytecode.
  bool held_by_current() const { return !enabled_ || mutex_.held_by_current(); }

 private:
  Scheduler& scheduler_;
  bool enabled_;
  Mutex mutex_;
};

/// Holds a mutex while it exists. If it is abandoned with its task, the mutex stays locked.
class LockGuard {
 public:
  explicit LockGuard(Mutex& mutex) : mutex_(mutex) { mutex_.lock(); }
  ~LockGuard() { mutex_.unlock(); }
  LockGuard(const LockGuard&) = delete;
  LockGuard& operator=(const LockGuard&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace harness
