// SPDX-License-Identifier: Apache-2.0
// ProcessWorld: the world of a program that brought none, and the threads that the driver has
// there.
//
// A program that loaded our libcuda.so.1 may call on any thread; one call at a time has the driver.
// Threads do what tasks of the driver do in a run, and release the driver while they call a
// function of the program.
//
// A function of the program may not return: it may block for ever, end its thread (pthread_exit,
// pthread_cancel) or the process. Python ends threads so once its interpreter finalizes. A thread
// that ends does not keep the driver.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "harness/cuda/guide.h"
#include "harness/cuda/outer_call.h"
#include "harness/world.h"

namespace harness {

class ProcessThread;

/// Lifetime: until the process ends; never destroyed, for its threads may still call. Threads: any
/// for the static functions and lock(); the others are for code that has the driver.
class ProcessWorld {
 public:
  /// Sets the maker of the device of this process. Without it, a call outside of a run is a
  /// mistake.
  static void serve(Device* (*make)());
  /// Sets the maker of its guide; `make` may return null.
  static void guide_by(std::unique_ptr<Guide> (*make)());
  /// Returns the world of this process, which is made at the first call.
  static ProcessWorld& get();
  /// Returns the number of the calling thread, from 1 on; 0 before its first call; kOwnThread for
  /// our own threads.
  static std::size_t calling_thread();
  static constexpr std::size_t kOwnThread = ~std::size_t{0};
  /// Returns whether the calling thread has the driver.
  static bool has_driver();
  /// Returns whether the calling thread waits in a call, and others have the driver meanwhile.
  static bool is_waiting();
  /// Returns whether some thread has the driver, and does not wait.
  static bool is_had();
  /// Returns whether the calling thread is one of the driver's own,
  static bool is_own_thread();
  /// whose turn it is.
  static bool has_turn();
  /// Returns the activation that passed the function which the calling thread runs; 0 for none.
  static Name cause();
  /// Returns the runtime function that the calling thread is in.
  static OuterCall& outer_call();
  /// Marks the calling thread as ours, not the program's.
  static void call_no_thread_of_the_program();
  /// Takes the driver for the calling thread, which calls this function.
  void begin_call(Label function);
  /// Returns whether the call that has begun is to do nothing.
  bool leaves_out() const { return guide_ != nullptr && guide_->leaves_out(); }
  /// Lets others have the driver at the end of a call. What it has handed to threads of the
  /// driver's own takes its turn first, if there is a guide: so the order does not depend on the
  /// system. A function that waits for the program continues beside it.
  void end_call();
  /// Lets others have the driver at the end of a call that returns an error, and tells the guide.
  void end_failed_call(Label function, CUresult error, bool is_injected);
  /// Makes a choice between this many options, outside of a call, for the thread that has the
  /// driver. There must be a guide.
  std::uint32_t ask(Activation asking, Site site, std::uint32_t option_count,
                    const Options* options = nullptr);
  /// Keeps others out of the driver during a choice; nothing else happens.
  class Asking {
   public:
    explicit Asking(ProcessWorld& process) : lock_(process.mutex_) {}

   private:
    std::lock_guard<std::mutex> lock_;
  };
  /// Forks while the calling thread has the driver: the child continues with it as the process
  /// would have, and its guide hears nothing. Returns what fork() returns.
  static int fork_as_one();
  /// Takes the driver for the calling thread, which cannot be cancelled until it lets go of it.
  void lock();
  /// Reports the faults that were found, and lets others have the driver.
  void unlock();

  /// Returns it if `world` is its world, or null: `world` has tasks, or stands for a run's.
  static ProcessWorld* of(const World& world);
  World& world() { return world_; }
  /// Returns the generation of this process: a forked child has none of the threads.
  unsigned generation() const { return generation_; }

  /// Lets others have the driver until `done()` holds or the time is over. It is asked whenever
  /// something has had the driver, and now and then: memory may change without a call.
  template <class Done>
  void wait_until(Done done, std::chrono::milliseconds limit = std::chrono::hours(24 * 365)) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!done() && std::chrono::steady_clock::now() < end) sleep(true);
  }

  /// Lets others have the driver while a function of the program runs, for as long as it lives.
  /// Takes it again when the function throws or ends its thread, too: what is unwound needs it.
  class Open {
   public:
    /// Null: nothing is to be done. `cause` is the activation that handed the function over.
    explicit Open(ProcessWorld* process, Name cause = 0);
    ~Open();
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;

   private:
    ProcessWorld* process_;
    Name outer_cause_ = 0;
    Label site_;
    Activation* activation_ = nullptr;
    Activation call_;
  };

 private:
  /// Answers like a driver that does nothing surprising: everything plain.
  class Answers final : public Strategy {
   public:
    std::uint32_t answer(const Question&) override { return 0; }
  };

  class Asleep;
  friend class ProcessThread;

  /// Returns whether a thread of the driver's own has something to do, and may do it now.
  bool owes_turns();
  ProcessWorld();
  static void before_fork();
  static void after_fork();
  static void begin_child();
  /// `gives_way`: to the program's threads, where they take turns.
  void sleep(bool gives_way);
  void tell_faults() noexcept;

  std::mutex mutex_;
  unsigned generation_ = 1;
  std::condition_variable let_go_;  ///< Something has had the driver.
  std::size_t waiting_count_ = 0;   ///< Number of threads in sleep().
  World world_;
  Answers answers_;
  std::unique_ptr<Guide> guide_;
  std::vector<ProcessThread*> threads_;  ///< Those that were ever handed anything.
};

/// The name of such a thread, for the system.
inline constexpr const char* kHostFunctionThread = "afterlife-host";

/// A thread of the driver's own in the world of a process: does what it is given, in order.
/// Lifetime: the thread starts with the first task, and ends with the process. If a function of the
/// program ends it, another thread does the rest.
class ProcessThread {
 public:
  /// Hands over something that the thread does once it has the driver; the caller has it now.
  /// `act` may call a function of the program, which may end the thread; `finish` follows it in
  /// any case.
  void post(ProcessWorld& process, std::function<void()> act,
            std::function<void()> finish = nullptr);
  /// Returns whether all that was handed over is done.
  bool idle() const { return tasks_.empty(); }

 private:
  friend class ProcessWorld;

  /// Returns whether it does something in this process, or is about to, and the program waits for
  /// it. Looks whether it sleeps.
  bool takes_turn(const ProcessWorld& process);
  /// Either is empty once it is being done.
  struct Task {
    std::function<void()> act;
    std::function<void()> finish;
  };

  /// Waits until something is handed over; with the driver before and after.
  void await_task(ProcessWorld& process);
  void start(ProcessWorld& process);
  void start_thread(ProcessWorld& process);
  static void replace(void* ended) noexcept;
  void serve(ProcessWorld& process);
  void do_first();

  std::unique_ptr<std::condition_variable_any> posted_;
  std::deque<Task> tasks_;           ///< The first is being done, or is about to be.
  std::atomic<bool> is_due_{false};  ///< There are.
  std::function<bool()> asks_due_ = [this] { return is_due_.load(); };
  void* turn_ = nullptr;      ///< That of its thread, where the program's threads take turns.
  unsigned started_in_ = 0;   ///< The generation whose thread serves.
  pid_t id_ = 0;              ///< The system's number of the thread; 0 before it runs.
  unsigned look_count_ = 0;   ///< This often its turn was looked at,
  unsigned sleep_count_ = 0;  ///< and this often in a row it slept.
  bool waits_ = false;        ///< For the program, which continues beside it for as long.
};

}  // namespace harness
