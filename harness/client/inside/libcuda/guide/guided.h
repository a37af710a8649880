// SPDX-License-Identifier: Apache-2.0
// Guided: the guide of a process that `afterlife run` started. Makes choices as the orders say, and
// writes the report.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "harness/client/border/call_mark.h"
#include "harness/client/border/orders.h"
#include "harness/client/border/report.h"
#include "harness/client/inside/libcuda/free_threads.h"
#include "harness/client/inside/libcuda/guide/askers.h"
#include "harness/client/inside/libcuda/guide/called.h"
#include "harness/client/inside/libcuda/guide/parties.h"
#include "harness/client/inside/libcuda/host_watch.h"
#include "harness/client/inside/libcuda/idle_device.h"
#include "harness/client/inside/libcuda/ipc/peer_link.h"
#include "harness/client/inside/libcuda/memory_ends.h"
#include "harness/client/inside/libcuda/python/python.h"
#include "harness/client/inside/libcuda/python/threads.h"
#include "harness/client/inside/libcuda/races/host_races.h"
#include "harness/client/inside/libcuda/system_threads.h"
#include "harness/client/inside/libcuda/turns/native_threads.h"
#include "harness/core/world.h"
#include "harness/driver/cuda/guide.h"
#include "harness/driver/cuda/process.h"

namespace harness::entries {

/// Lifetime: until the process ends.
class Guided final : public Guide,
                     public Python::Lines,
                     public PythonThreads::Guide,
                     public HostWatch::Names {
 public:
  /// Returns the guide if the environment names orders, else null. If the orders cannot be read,
  /// prints an error on stderr and returns null.
  static std::unique_ptr<harness::Guide> make();

  Guided(std::string folder, client::Orders orders);

  Strategy& strategy() override { return *strategy_; }
  void coming(Label function) override;
  void failed(Label function, CUresult error, bool is_injected) override;
  void forked() override {
    is_claimed_ = false;
    forget_peers();
  }
  Activation begin_call(std::size_t thread, Label function) override;
  bool leaves_out() const override;
  void passed(const World& world) override;
  void taken() override {
    host_watch_.lift();
    called_.taken();
  }
  void letting_go(World& world) override;
  bool is_asleep(pid_t thread) override { return entries::is_asleep(thread); }
  void found(const World& world, const Fault& fault) override;

  void coming_to_access(std::uintptr_t code) override;
  Activation access(Label how) override;

  bool has_several_threads() override { return python_threads_.are_several(); }
  Python::Collects line(const Python::Line& line, Python::Since since) override;
  void library_line() override { python_threads_.library_line(); }

  Name name_first_thread() override;
  void are_not_watched() override;
  std::size_t next(const BatonThread& asking, Baton::At at,
                   std::span<BatonThread* const> options) override;
  std::size_t expires(const BatonThread& asking, Baton::At at,
                      std::span<BatonThread* const> waiters) override;
  void lost(const BatonThread& thread, bool is_busy) override;
  bool is_in_driver() const override { return ProcessWorld::is_had(); }
  void stand() override;
  Turns* turns() override { return native_threads_.are_on() ? &native_threads_ : nullptr; }

 private:
  class FirstQuestion;

  std::size_t next_native(const BatonThread& asking, Baton::At at,
                          std::span<BatonThread* const> options);
  /// Makes a forced choice. The calling thread has the driver.
  std::uint32_t ask_forced(const Activation& asking, Site site, std::uint32_t option_count,
                           const Options* options = nullptr);
  /// Chooses whether to force a collection before a call, and runs it.
  void force_collection(const Python& interpreter, Label function);
  /// Chooses before a call whether late work of the device completes, which calls queued host
  /// functions. Otherwise these would run only when the program waits.
  void let_device_catch_up(Label function);
  /// Waits before a call until it is the turn of this process, if it shares something with others.
  /// Whether the process is slow is a choice.
  void take_turn(Label function);
  /// Forgets, in a forked process, all that its parent shared.
  void forget_peers();
  /// Writes the report after new choices, if the orders say so.
  void flush();
  /// Waits for a stream before the call, if the orders say so.
  void try_wait(Name call) const;
  /// Configures the driver according to the orders, before its first call.
  void set_up(World& world);
  void watch_python();
  /// Takes the next free process number, unless this process has one.
  void claim_process();
  void take_number();
  /// Returns the strategy that the orders name.
  std::unique_ptr<Strategy> ordered_strategy();
  /// Forks a child for each requested run. Returns, in the child, its strategy.
  std::unique_ptr<Strategy> begin_run();
  /// Records the place of the calling thread, for its next action.
  void note_place(std::uintptr_t code);
  /// Takes an error into the report, if it is the first of its kind. `object`: the object
  /// that was passed to the call first, or none.
  void take_error(client::ToldError error, BirthId object);
  /// Sets the reason why this run may not repeat; "" for none.
  void doubt(const std::string& why);
  /// Takes a data race of the program's threads into the report. The thread that found it does not
  /// have the driver.
  void raced(const HostRace& race);
  client::Party party_of(const HostRace::Side& side) const;
  void report(const World& world);
  /// Writes the report of a process that hangs.
  void hangs(bool is_deadlock, std::vector<client::Party> stuck);
  static void end_of_process();

  static thread_local Label next_function_;  ///< The next driver function of this thread.

  std::string folder_;
  client::Orders orders_;
  std::unique_ptr<Strategy> strategy_;
  FirstQuestion* first_question_ = nullptr;  ///< The strategy, if runs are to be forked; else null.
  bool is_claimed_ = false;                  ///< The process has a number.
  bool is_set_up_ = false;
  std::atomic<bool> has_queued_functions_{false};  ///< Host functions are queued.
  client::Report report_;
  std::vector<BirthId> failed_objects_;  ///< For each error: the object that its call was passed.
  client::CallMark mark_;
  std::size_t flushed_count_ = 0;    ///< Number of choices in the report, if it is flushed.
  bool has_forced_ = false;          ///< A forced choice is in the report.
  std::uint32_t told_failures_ = 0;  ///< Number of injected errors in the report.
  std::mutex doubt_mutex_;
  std::string doubt_;  ///< Taken into the next report.
  Askers askers_;
  FreeThreads free_threads_;
  HostWatch host_watch_{*this};
  IdleDevice idle_device_;
  PythonThreads python_threads_{*this};
  NativeThreads native_threads_{*this, python_threads_.baton()};
  Parties parties_{askers_, python_threads_, free_threads_};
  MemoryEnds memory_ends_{askers_, parties_, orders_};
  Called called_{mark_, report_, askers_, parties_, orders_};
  PeerLink peer_link_;
};

}  // namespace harness::entries
