// SPDX-License-Identifier: Apache-2.0
// Baton: one thread at a time runs, of those that take turns: the one with the baton.
//
// Its thread passes it on before a step, when it waits, and at its end.
// A wait that ends at a moment ends so only once nothing else can continue, in the order of these
// moments. They are counted on a clock that stands still while something continues, so that the
// order is the same on a slow machine; but none ends before the time is really over. A wait for
// what comes from elsewhere, as from another process, ends only once nothing else can continue,
// too: how late that comes changes nothing then.
//
// If the threads are not Python's, time itself is counted so: a wait ends at its moment at once
// when nothing else can continue, and the clock is then at that moment.
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

#include "harness/base.h"
#include "harness/entries/libcuda/thread_hooks.h"
#include "harness/label.h"

namespace harness::entries {

/// A thread that takes turns. The baton owns its wait; the thread itself writes the rest.
struct BatonThread {
  Name name = 0;                      ///< By its cause: who started it, and how many-th.
  std::string shown;                  ///< The program's name for it.
  bool is_first = false;              ///< No other thread started it.
  std::uint32_t child_count = 0;      ///< How many threads it has started.
  const std::string* file = nullptr;  ///< The last line of the user's that it came to; or null.
  int line = 0;
  Name line_name = 0;  ///< The line's, which stays the same when lines move.

  bool is_native = false;                 ///< It is none of Python's, and came last to a function
  Label coming;                           ///< of the C library,
  std::uint32_t coming_nth = 0;           ///< this often,
  mutable std::uint32_t asked_count = 0;  ///< where this many questions were asked.
  pthread_t handle{};
  bool is_own = false;               ///< It is the driver's,
  BatonThread* handed_by = nullptr;  ///< which continues after it, if that can.
  std::vector<const void*> holds;    ///< Its locks, in the order in which it took them.

  enum class State { goes_on, ready, waits, unseen, over };
  State state = State::ready;
  const std::function<bool()>* done = nullptr;                 ///< Says whether its wait is over.
  const std::function<bool()>* is_due = nullptr;               ///< The same of the driver's own.
  std::optional<std::chrono::steady_clock::time_point> limit;  ///< Moment when its wait ends.
  std::int64_t limit_tick = 0;            ///< The same on the clock that stands still, in ns.
  std::uint64_t wait_number = 0;          ///< The older of two that end at one tick is first.
  bool is_outside = false;                ///< It waits for something from elsewhere,
  bool is_sleeping = false;               ///< or for its moment alone.
  bool is_cancellable = false;            ///< The function that it came to may be cancelled,
  std::atomic<bool> is_cancelled{false};  ///< and something has.
  bool is_interrupted = false;
  bool is_timed_out = false;
  const void* parked_on = nullptr;  ///< It waits until another wakes those that wait for this,
  std::uint32_t parked_bits = 0;    ///< with one of these bits,
  bool is_woken = false;            ///< as has happened,
  bool may_look_again = false;  ///< or nothing can continue: what it waits for may be there unseen.
  bool has_looked_again = false;
  sem_t turn{};           ///< Posted when it is given the baton.
  pid_t id = 0;           ///< The system's number of it; 0 until it runs.
  clockid_t processor{};  ///< The clock of the time that it has run.
};

/// Lifetime: until the process ends; never destroyed, for threads may still wait.
/// Threads: any. The functions that take a thread are called on that one.
class Baton {
 public:
  /// Where something else may continue. In the last two no real run switches: the interpreter has
  /// not looked since the line before, or the caller keeps its lock.
  enum class At { line, call, sync, wait, end, unseen_line, locked_call };

  /// Decides which thread runs next.
  class Judge {
   public:
    virtual ~Judge() = default;
    /// Returns the index of one of at least two options; the first is the default one.
    virtual std::size_t next(const BatonThread& asking, At at,
                             std::span<BatonThread* const> options) = 0;
    /// A thread has taken no step for a long time, so others run beside it. It waits for something
    /// unobserved, or `is_busy`.
    virtual void lost(const BatonThread& thread, bool is_busy) = 0;
    /// Returns whether some thread is in the driver.
    virtual bool is_in_driver() const = 0;
    /// Each thread waits for another one, for ever.
    virtual void stand() = 0;
  };

  /// While it exists, actions of the calling thread are ours, not steps of the program.
  class Inside {
   public:
    Inside();
    ~Inside();
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    static bool is_any();
  };

  /// How long a wait may be; for ever without.
  using Limit = std::optional<std::chrono::nanoseconds>;

  explicit Baton(Judge& judge);

  /// Returns the calling thread, or null if it takes no turns.
  static BatonThread* mine();
  /// Returns whether there are several threads.
  bool is_shared() const { return living_count_ > 1; }
  /// Makes the calling thread the first one, which has the baton. `holds_time`: time passes only
  /// where all wait for it, from now on.
  BatonThread& begin(Name name, std::string shown, bool holds_time);
  /// Returns the time since then, in ns; each look takes a little.
  std::int64_t look_at_clock();
  /// Adds a thread that is about to be started. It is ready; one of the driver's own is while
  /// `is_due` holds.
  BatonThread& add(Name name, std::string shown, const std::function<bool()>* is_due = nullptr);
  /// Takes it back: it could not be started.
  void remove(BatonThread& thread);

  /// Begins the calling thread, which is `me` from now on, and waits for its turn.
  void enter(BatonThread& me);
  /// Returns the thread that runs instead, or null; for a thread that others run beside, that
  /// thread itself. Without a choice, another thread runs only after very many steps.
  BatonThread* next(BatonThread& me, At at, bool may_ask);
  /// Returns whether another one can continue, or will by its clock or by itself.
  bool others_may_go_on(const BatonThread& me);
  /// Returns whether all wait for another one of them, and this is one: none can continue, or will
  /// by itself. Does not wait for a thread that changes this now: false then.
  bool is_stuck(pid_t thread);
  /// A signal of ours has reached the calling thread: its wait continues.
  static void ignore_interruption();
  /// Lets another one continue, and waits for its turn.
  void hand_to(BatonThread& me, BatonThread& other);
  /// Lets others continue until `done` holds, which is asked on any thread, or the time is over. An
  /// empty one waits for the time alone: another one's real turns may take as long.
  Woken wait(BatonThread& me, const std::function<bool()>& done, Limit limit);
  /// The same for what comes from elsewhere.
  Woken await(BatonThread& me, const std::function<bool()>& done, Limit limit);
  /// Says that the calling thread is about to wait until another wakes it: for this, by a wake
  /// that has one of the bits. `may_look_again`: it can be woken for nothing.
  void will_park(BatonThread& me, const void* on, std::uint32_t bits, bool may_look_again);
  /// Waits for that.
  Woken park(BatonThread& me, Limit limit);
  /// Wakes this many of those that wait for this, who has waited longest first. Returns how many.
  std::uint32_t unpark(const void* on, std::uint32_t count, std::uint32_t bits = ~0U);
  /// Lets another one continue, if one can, before this one looks again at what it waits for.
  /// Returns whether one did.
  bool yield(BatonThread& me);
  /// The calling thread is one of the driver's own, and waits until something is due.
  void await_due(BatonThread& own);
  /// Lets those of them go that can.
  void let_due_go(BatonThread& me);
  /// Returns the living thread of this handle, or null.
  BatonThread* find(pthread_t handle);
  /// Ends the calling thread's part.
  void leave(BatonThread& me);

  /// The schedule so far.
  struct Schedule {
    std::uint64_t hash = 0;          ///< The same for the same order of the same threads.
    std::uint64_t switch_count = 0;  ///< Number of switches.
  };
  Schedule schedule() const { return schedule_; }
  /// Returns which others wait for what this one holds, in words; empty for none, and where that
  /// cannot be looked at now.
  std::string words_of_holds(pid_t thread);
  /// Returns all threads that there ever were, in the order of their starts.
  const std::deque<BatonThread>& threads() const { return threads_; }

 private:
  using Lock = std::unique_lock<std::mutex>;
  /// Not the library's: the program's clock may be held.
  struct Clock {
    using time_point = std::chrono::steady_clock::time_point;
    static time_point now();
  };

  /// After this many steps of one thread another one continues, as an interpreter's clock would
  /// have it.
  static constexpr std::uint32_t kStepsInTurn = 1'000;

  /// The calling thread is this one.
  static void become(BatonThread& me);
  static bool is_ready(const BatonThread& thread);
  std::vector<BatonThread*> ready_others(const BatonThread& me);
  BatonThread* first_in_time();
  bool is_eligible(const BatonThread& thread, bool is_paced) const;
  /// Returns the thread that may wake before others wait, because its real sleep would be short; or
  /// null.
  BatonThread* light_sleeper();
  /// Returns which one runs next once nothing else can, or null.
  BatonThread* first_of_the_late();
  void give(BatonThread& thread);
  /// Gives the baton to a thread that can run, if there is one.
  void give_to_anyone(const BatonThread* but);
  void pass_on(Lock& lock, BatonThread& me, At at);
  Woken wait(BatonThread& me, const std::function<bool()>& done, Limit limit, bool is_outside);
  void wait_for_turn(Lock& lock, BatonThread& me);
  void look_after_holder();
  /// The same by the time that it has run, and by where the kernel has it wait.
  void look_at_kernel();
  void lose_holder(bool is_busy);
  /// Has those that wait for what may be there unseen look again, once. Returns whether any does.
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
  std::uint64_t progress_ = 0;                       ///< Steps of code that has the baton.
  std::uint64_t seen_progress_ = ~std::uint64_t{0};  ///< Nothing has looked yet.
  Clock::time_point still_since_;  ///< No progress since then, as far as was looked;
  Clock::time_point quiet_since_;  ///< and asleep.
  std::uint32_t steps_in_turn_ = 0;
  std::uint32_t looks_in_turn_ = 0;  ///< At the clock.
  std::int64_t tick_ = 0;            ///< The clock that stands still, in ns.
  std::uint64_t wait_count_ = 0;
  std::size_t parked_count_ = 0;
  bool holds_time_ = false;
  Schedule schedule_;
  bool has_told_ = false;  ///< That all stand.
  const BatonThread* seen_holder_ = nullptr;
  std::int64_t seen_run_ = 0;    ///< The time that it had run when it was looked at last,
  std::int64_t run_before_ = 0;  ///< and at its last progress.
  unsigned quiet_looks_ = 0;
};

}  // namespace harness::entries
