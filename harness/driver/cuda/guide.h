// SPDX-License-Identifier: Apache-2.0
// Guide: makes the choices of the driver of a process, and observes its calls.
//
// Without a guide, all choices are the default, and faults go to stderr.
#pragma once

#include <cuda.h>
#include <sys/types.h>

#include <cstddef>
#include <functional>

#include "harness/core/fault/fault.h"
#include "harness/core/pick/pick.h"

namespace harness {

struct World;

/// The turns of the program's threads, one of which runs at a time. A driver thread that calls the
/// program takes turns, too. Threads: any that does not hold the driver, except for add_own().
class Turns {
 public:
  virtual ~Turns() = default;
  /// Adds a driver thread, which may run while `is_due` returns true. `is_due` is called on any
  /// thread and must stay valid until the process ends. The calling thread holds the driver.
  virtual void* add_own(const std::function<bool()>& is_due) = 0;
  /// Called by that driver thread. Returns when it has work and it is its turn.
  virtual void await_due(void* own) = 0;
  /// Lets the driver threads that have work run. Returns when it is the calling thread's turn
  /// again.
  virtual void let_due_go() = 0;
  /// Lets other threads run while the calling thread waits for the program. Returns whether one
  /// did.
  virtual bool give_way() = 0;
};

/// Threads: coming() and failed() may be called by any thread at any time; the others only while
/// holding the driver.
class Guide {
 public:
  virtual ~Guide() = default;
  /// Returns the strategy, which exists as long as the process.
  virtual Strategy& strategy() = 0;
  /// Called before the calling thread calls `function`. Work that takes locks of the program is
  /// done here, because the holder of the driver must not wait for them.
  virtual void coming(Label function) { (void)function; }
  /// Called when a call of `function` is about to return an error. An injected one was a choice.
  virtual void failed(Label function, CUresult error, bool is_injected) {
    (void)function, (void)error, (void)is_injected;
  }
  /// Called in a child of fork().
  virtual void forked() = 0;
  /// Returns the activation of this thread's next call. `thread` is the number of the thread.
  virtual Activation begin_call(std::size_t thread, Label function) = 0;
  /// Returns whether the current call of this thread does nothing and succeeds.
  virtual bool leaves_out() const { return false; }
  /// Receives the events since the previous call, before they are discarded.
  virtual void passed(const World& world) = 0;
  /// Called when the calling thread has taken the driver.
  virtual void taken() {}
  /// Called when the calling thread is about to release the driver.
  virtual void letting_go(World& world) { (void)world; }
  /// Returns whether the thread with this system id sleeps.
  virtual bool is_asleep(pid_t thread) {
    (void)thread;
    return true;
  }
  /// Returns the turns of the program's threads; null if they do not take turns.
  virtual Turns* turns() { return nullptr; }
  /// Receives a fault as soon as it is found.
  virtual void found(const World& world, const Fault& fault) = 0;
};

}  // namespace harness
