// SPDX-License-Identifier: Apache-2.0
// Baton: of the threads that take turns, only the one with the baton runs.
//
// A thread passes it on before a step, when it waits, and when it ends. A wait with a time limit
// times out only when no other thread can run, in the order of the limits. These are counted on a
// clock that stands still while a thread runs, so that the order is the same on a slow machine; but
// no wait times out before the real time has passed. A wait for an event from outside, such as from
// another process, also ends only when no other thread can run: then its delay changes nothing.
//
// In programs without Python, time itself is counted in this way: when no other thread can run, a
// wait times out at once, and the clock then shows its limit.
//
// A wait with a time limit may also time out while others can run, by choice, as if the process had
// been stopped for so long. The clocks then show its limit, in programs with Python, too.
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <sys/types.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/base/base.h"
#include "harness/base/label.h"
#include "harness/client/inside/libcuda/thread_hooks.h"

namespace harness::entries {

/// A thread that takes turns. The baton owns the state of its wait; the thread writes the rest.
struct BatonThread {
  Name name = 0;                      ///< Derived from the thread that started it, and a count.
  std::string shown;                  ///< The program's name for it.
  std::size_t number = 0;             ///< Counted from 0 in the order of their starts.
  bool is_first = false;              ///< No other thread started it.
  std::uint32_t child_count = 0;      ///< Number of threads that it has started.
  const std::string* file = nullptr;  ///< File of the last user's line that it reached; or null.
  int line = 0;
  Name line_name = 0;  ///< The name of that line, which does not change when lines move.

  bool is_native = false;                 ///< It is not a Python thread.
  Label coming;                           ///< The C library function called last.
  std::uint32_t coming_nth = 0;           ///< The number of that call.
  mutable std::uint32_t asked_count = 0;  ///< Number of choices in that call.
  pthread_t handle{};
  bool is_own = false;               ///< It is a thread of the driver.
  BatonThread* handed_by = nullptr;  ///< The thread that runs after it, if possible.
  std::vector<const void*> holds;    ///< Its locks, in the order of acquisition.

  enum class State { goes_on, ready, waits, unseen, over };
  State state = State::ready;
  const std::function<bool()>* done = nullptr;                 ///< Whether its wait is over.
  const std::function<bool()>* is_due = nullptr;               ///< The same for a driver's thread.
  std::optional<std::chrono::steady_clock::time_point> limit;  ///< Real time limit of its wait.
  std::int64_t limit_tick = 0;            ///< The limit on the clock that stands still, in ns.
  std::uint64_t wait_number = 0;          ///< The older of two with the same tick comes first.
  bool is_outside = false;                ///< It waits for an event from outside.
  bool is_sleeping = false;               ///< It only waits for time to pass.
  bool is_cancellable = false;            ///< Its function is a cancellation point.
  std::atomic<bool> is_cancelled{false};  ///< It was cancelled.
  bool is_interrupted = false;
  bool is_timed_out = false;
  bool is_expiring = false;         ///< Its time limit passes now, by choice.
  std::uint32_t early_count = 0;    ///< How many of its waits timed out while others could run.
  const void* parked_on = nullptr;  ///< The address whose wake it waits for; null if none.
  std::uint32_t parked_bits = 0;    ///< A wake must have one of these bits.
  bool is_woken = false;            ///< It was woken.
  bool may_look_again = false;      ///< When no thread can run, it may check its condition again.
  bool has_looked_again = false;
  sem_t turn{};           ///< Posted when it gets the baton.
  pid_t id = 0;           ///< The system's id; 0 until it runs.
  clockid_t processor{};  ///< The clock of its processor time.
};

/// Lifetime: until the process ends; never destroyed, because threads may still wait. Threads: any.
/// Functions with a parameter `me` are called on that thread.
class Baton {
 public:
  /// Where another thread may be chosen. An ordinary run cannot switch at the last two: there the
  /// interpreter has not checked since the previous line, or the caller keeps its lock.
  enum class At { line, call, sync, wait, end, unseen_line, locked_call };

  /// Decides which thread runs next.
  class Judge {
   public:
    virtual ~Judge() = default;
    /// Returns the index of one of at least two options; the first is the default one.
    virtual std::size_t next(const BatonThread& asking, At at,
                             std::span<BatonThread* const> options) = 0;
    /// Decides whether the time limit of one of these threads passes now, although others can run.
    /// Returns its number, counted from 1; 0 for none, the default.
    virtual std::size_t expires(const BatonThread& asking, At at,
                                std::span<BatonThread* const> waiters) = 0;
    /// Called when a thread has made no step for a long time, so that others run beside it. It is
    /// in a wait that is not observed, or `is_busy`.
    virtual void lost(const BatonThread& thread, bool is_busy) = 0;
    /// Returns whether some thread is in the driver.
    virtual bool is_in_driver() const = 0;
    /// Called when all threads wait for each other without limit.
    virtual void stand() = 0;
  };

  /// While it exists, actions of the calling thread do not count as steps of the program.
  class Inside {
   public:
    Inside();
    ~Inside();
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    static bool is_any();
  };

  /// Limit of a wait; none for no limit.
  using Limit = std::optional<std::chrono::nanoseconds>;

  explicit Baton(Judge& judge);

  /// Returns the calling thread, or null if it takes no turns.
  static BatonThread* mine();
  /// Returns whether there are several threads.
  bool is_shared() const { return living_count_ > 1; }
  /// Makes the calling thread the first one, with the baton. `holds_time`: from then on, time
  /// passes only while all threads wait for it.
  BatonThread& begin(Name name, std::string shown, bool holds_time);
  /// Returns the time since begin() in ns. Each call advances it a little.
  std::int64_t look_at_clock();
  /// Adds a thread that is about to be started, and can run. If `is_due` is given, it is a thread
  /// of the driver, and can run when `is_due` holds.
  BatonThread& add(Name name, std::string shown, const std::function<bool()>* is_due = nullptr);
  /// Removes a thread that could not be started.
  void remove(BatonThread& thread);

  /// Makes the calling thread `me`, and waits for its turn.
  void enter(BatonThread& me);
  /// Returns the thread that should run next, or null for `me`. If `me` does not have the baton,
  /// returns `me`. Without a choice, another thread is selected only after very many steps.
  BatonThread* next(BatonThread& me, At at, bool may_ask);
  /// Returns whether another thread can run, or will be able to without `me`.
  bool others_may_go_on(const BatonThread& me);
  /// Returns whether all threads wait for each other, and this is one of them. Returns false if the
  /// state is locked.
  bool is_stuck(pid_t thread);
  /// Notes that a signal of ours interrupted the calling thread: its wait continues.
  static void ignore_interruption();
  /// Passes the baton to another thread, and waits for its turn.
  void hand_to(BatonThread& me, BatonThread& other);
  /// Lets others run until `done` holds, which is evaluated on any thread, or the limit has passed.
  /// An empty `done` only waits for time to pass; another thread's real work may take as long.
  Woken wait(BatonThread& me, const std::function<bool()>& done, Limit limit);
  /// The same for an event from outside.
  Woken await(BatonThread& me, const std::function<bool()>& done, Limit limit);
  /// Announces that the calling thread will wait until it is woken by a wake on this address with
  /// one of these bits. `may_look_again`: spurious wake-ups are permitted.
  void will_park(BatonThread& me, const void* on, std::uint32_t bits, bool may_look_again);
  /// Makes the announced wait.
  Woken park(BatonThread& me, Limit limit);
  /// Wakes at most `count` waiters on this address, the longest wait first. Returns their number.
  std::uint32_t unpark(const void* on, std::uint32_t count, std::uint32_t bits = ~0U);
  /// Lets another thread run, if one can, before `me` checks its condition again. Returns whether
  /// one ran.
  bool yield(BatonThread& me);
  /// Waits until something is due. The calling thread is a thread of the driver.
  void await_due(BatonThread& own);
  /// Lets the driver's threads run that are due.
  void let_due_go(BatonThread& me);
  /// Returns the thread with this handle, or null.
  BatonThread* find(pthread_t handle);
  /// Removes the calling thread.
  void leave(BatonThread& me);

  /// A summary of the schedule so far.
  struct Schedule {
    std::uint64_t hash = 0;          ///< Equal for equal orders of the same threads.
    std::uint64_t switch_count = 0;  ///< Number of switches.
  };
  Schedule schedule() const { return schedule_; }
  /// Returns in words which threads wait for locks that this one holds; "" if there are none, or
  /// the state cannot be inspected now.
  std::string words_of_holds(pid_t thread);
  /// Returns all threads that ever existed, in the order of their starts.
  const std::deque<BatonThread>& threads() const { return threads_; }

 private:
  using Lock = std::unique_lock<std::mutex>;
  /// Independent of the C library's functions, because the program's clock may be held.
  struct Clock {
    using time_point = std::chrono::steady_clock::time_point;
    static time_point now();
  };

  /// Number of steps after which another thread runs, like an interpreter's switch interval.
  static constexpr std::uint32_t kStepsInTurn = 1'000;

  /// Makes the calling thread this one.
  static void become(BatonThread& me);
  static bool is_ready(const BatonThread& thread);
  std::vector<BatonThread*> ready_others(const BatonThread& me);
  BatonThread* first_in_time();
  bool is_eligible(const BatonThread& thread, bool is_paced) const;
  /// Returns a thread that may wake up before the others wait, because its time limit is short; or
  /// null.
  BatonThread* light_waiter();
  /// Returns whether the thread, which gets the baton, times out although others could run.
  bool is_early(const BatonThread& thread) const;
  /// Returns whether the thread's time limit may pass although others can run.
  bool may_expire(const BatonThread& thread) const;
  /// Returns the thread whose time limit passes now by choice, or null. Releases the lock
  /// meanwhile.
  BatonThread* expired(Lock& lock, BatonThread& me, At at);
  /// Ends the wait of a thread whose time limit passes although others can run.
  void time_out(BatonThread& thread);
  /// Returns the thread that runs next if no other can, or null.
  BatonThread* first_of_the_late();
  void give(BatonThread& thread);
  /// Gives the baton to a thread that can run, if any.
  void give_to_anyone(const BatonThread* but);
  void pass_on(Lock& lock, BatonThread& me, At at);
  Woken wait(BatonThread& me, const std::function<bool()>& done, Limit limit, bool is_outside);
  void wait_for_turn(Lock& lock, BatonThread& me);
  void look_after_holder();
  /// Likewise, by the holder's processor time and its wait state in the kernel.
  void look_at_kernel();
  void lose_holder(bool is_busy);
  /// Wakes the waiters that may check again, each once. Returns whether there is one.
  bool look_again();
  bool all_stand() const;
  void see_to_all();
  static void before_fork();
  static void after_fork();
  static void begin_child();

  Judge& judge_;
  std::mutex mutex_;
  std::deque<BatonThread> threads_;
  std::atomic<std::size_t> living_count_ = 0;
  BatonThread* holder_ = nullptr;  ///< The thread with the baton; null while all wait.
  BatonThread* keeper_ =
      nullptr;  ///< While all wait: the thread that checks often whether any can run.
  std::uint64_t progress_ = 0;                       ///< Steps of the threads with the baton.
  std::uint64_t seen_progress_ = ~std::uint64_t{0};  ///< The initial value: not checked yet.
  Clock::time_point still_since_;                    ///< No progress was seen since then.
  Clock::time_point quiet_since_;                    ///< It was found asleep since then.
  std::uint32_t steps_in_turn_ = 0;
  std::uint32_t looks_in_turn_ = 0;  ///< Readings of the clock.
  std::int64_t tick_ = 0;            ///< The clock that stands still, in ns.
  std::uint64_t wait_count_ = 0;
  std::size_t parked_count_ = 0;
  bool holds_time_ = false;
  Schedule schedule_;
  bool has_told_ = false;  ///< The judge was told that all wait.
  const BatonThread* seen_holder_ = nullptr;
  std::int64_t seen_run_ = 0;    ///< Processor time of the holder at the last check.
  std::int64_t run_before_ = 0;  ///< The same at its last progress.
  unsigned quiet_looks_ = 0;
};

}  // namespace harness::entries
