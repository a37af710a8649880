// SPDX-License-Identifier: Apache-2.0
// ProcessWorld: the world of a program without one, and the threads of the driver in it.
//
// A program that loaded our libcuda.so.1 may call on any thread, but only one call at a time holds
// the driver. Threads do the work that tasks of the driver do in a run, and release the driver
// while they call a function of the program.
//
// A function of the program may not return: it may block forever, end its thread (pthread_exit,
// pthread_cancel), or end the process. Python ends threads in this way after its interpreter is
// finalized. A thread that ends does not keep the driver.
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

#include "harness/core/world.h"
#include "harness/driver/cuda/guide.h"
#include "harness/driver/cuda/outer_call.h"

namespace harness {

class ProcessThread;

/// Lifetime: until the process ends. Never destroyed, because the program's threads may still call.
/// Threads: any for the static functions and lock(); the others only while holding the driver.
class ProcessWorld {
 public:
  /// Sets the maker of the device of this process. Without it, a call outside of a run is an error.
  static void serve(Device* (*make)());
  /// Sets the maker of the guide of this process; `make` may return null.
  static void guide_by(std::unique_ptr<Guide> (*make)());
  /// Returns the world of this process, which is made by the first call.
  static ProcessWorld& get();
  /// Returns the number of the calling thread, from 1 on; 0 before its first call; kOwnThread for
  /// the harness's threads.
  static std::size_t calling_thread();
  static constexpr std::size_t kOwnThread = ~std::size_t{0};
  /// Returns whether the calling thread holds the driver.
  static bool has_driver();
  /// Returns whether the calling thread waits in a call while others may hold the driver.
  static bool is_waiting();
  /// Returns whether some thread holds the driver and is not waiting.
  static bool is_had();
  /// Returns whether the calling thread is a driver thread.
  static bool is_own_thread();
  /// Returns whether the calling thread is a driver thread that is not waiting for the program.
  static bool has_turn();
  /// Returns the activation that passed in the function which the calling thread runs; 0 if none.
  static Name cause();
  /// Returns the runtime function that the calling thread has called.
  static OuterCall& outer_call();
  /// Marks the calling thread as one of the harness, not of the program.
  static void call_no_thread_of_the_program();
  /// Takes the driver for a call of `function` on the calling thread.
  void begin_call(Label function);
  /// Returns whether the current call must do nothing.
  bool leaves_out() const { return guide_ != nullptr && guide_->leaves_out(); }
  /// Releases the driver at the end of a call. With a guide, work that the call handed to driver
  /// threads takes its turn first, so that the order does not depend on the operating system. A
  /// function that waits for the program continues concurrently.
  void end_call();
  /// Releases the driver at the end of a failed call, and informs the guide.
  void end_failed_call(Label function, CUresult error, bool is_injected);
  /// Makes a choice with this many options, outside of a call, for the thread that holds the
  /// driver. There must be a guide.
  std::uint32_t ask(Activation asking, Site site, std::uint32_t option_count,
                    const Options* options = nullptr);
  /// Keeps other threads out of the driver during a choice. Has no other effect.
  class Asking {
   public:
    explicit Asking(ProcessWorld& process) : lock_(process.mutex_) {}

   private:
    std::lock_guard<std::mutex> lock_;
  };
  /// Forks while the calling thread holds the driver. The child continues with the driver in place
  /// of the process, and its guide is not informed. Returns the result of fork().
  static int fork_as_one();
  /// Takes the driver for the calling thread, which cannot be cancelled until it releases it.
  void lock();
  /// Reports the faults that were found, and releases the driver.
  void unlock();

  /// Returns the process world that `world` belongs to, or null if `world` is that of a run.
  static ProcessWorld* of(const World& world);
  World& world() { return world_; }
  /// Returns the generation of this process. It grows with fork(), as a child has none of the
  /// threads.
  unsigned generation() const { return generation_; }

  /// Releases the driver until `done()` holds or the time is over. `done()` is evaluated whenever
  /// another thread has held the driver, and periodically, because memory may change without a
  /// call.
  template <class Done>
  void wait_until(Done done, std::chrono::milliseconds limit = std::chrono::hours(24 * 365)) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!done() && std::chrono::steady_clock::now() < end) sleep(true);
  }

  /// Releases the driver while it exists, for a function of the program. Takes it again even if the
  /// function throws or ends its thread, because unwinding needs it.
  class Open {
   public:
    /// With null, has no effect. `cause` is the activation that passed the function in.
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
  /// Makes the default choice everywhere.
  class Answers final : public Strategy {
   public:
    std::uint32_t answer(const Question&) override { return 0; }
  };

  class Asleep;
  friend class ProcessThread;

  /// Returns whether a driver thread has work that it may do now.
  bool owes_turns();
  ProcessWorld();
  static void before_fork();
  static void after_fork();
  static void begin_child();
  /// `gives_way`: lets the program's threads run, if they take turns.
  void sleep(bool gives_way);
  void tell_faults() noexcept;

  std::mutex mutex_;
  unsigned generation_ = 1;
  std::condition_variable let_go_;  ///< Notified when the driver was released.
  std::size_t waiting_count_ = 0;   ///< Number of threads in sleep().
  World world_;
  Answers answers_;
  std::unique_ptr<Guide> guide_;
  std::vector<ProcessThread*> threads_;  ///< Driver threads that have ever had work.
};

/// The name of a driver thread for the operating system.
inline constexpr const char* kHostFunctionThread = "afterlife-host";

/// A driver thread in the world of a process: does its work items in order. Lifetime: the thread
/// starts with the first item and ends with the process. If a function of the program ends the
/// thread, another one does the rest.
class ProcessThread {
 public:
  /// Queues work that the thread does once it holds the driver, which the caller holds now. `act`
  /// may call a function of the program, which may end the thread; `finish` runs after it in any
  /// case.
  void post(ProcessWorld& process, std::function<void()> act,
            std::function<void()> finish = nullptr);
  /// Returns whether all queued work is done.
  bool idle() const { return tasks_.empty(); }

 private:
  friend class ProcessWorld;

  /// Returns whether it does work in this process, or is about to, and the program waits for it.
  /// Checks whether the thread sleeps.
  bool takes_turn(const ProcessWorld& process);
  /// Each function is empty once it has begun.
  struct Task {
    std::function<void()> act;
    std::function<void()> finish;
  };

  /// Waits until there is work. The driver is held before and after.
  void await_task(ProcessWorld& process);
  void start(ProcessWorld& process);
  void start_thread(ProcessWorld& process);
  static void replace(void* ended) noexcept;
  void serve(ProcessWorld& process);
  void do_first();

  std::unique_ptr<std::condition_variable_any> posted_;
  std::deque<Task> tasks_;           ///< The first item is being done, or is about to be.
  std::atomic<bool> is_due_{false};  ///< Whether there is work.
  std::function<bool()> asks_due_ = [this] { return is_due_.load(); };
  void* turn_ = nullptr;      ///< The turn of its thread, if the program's threads take turns.
  unsigned started_in_ = 0;   ///< The generation of the process in which its thread was started.
  pid_t id_ = 0;              ///< The system's id of the thread; 0 before it runs.
  unsigned look_count_ = 0;   ///< How often its turn was checked.
  unsigned sleep_count_ = 0;  ///< How many times in a row it was asleep then.
  bool waits_ = false;        ///< It waits for the program, which therefore continues concurrently.
};

}  // namespace harness
