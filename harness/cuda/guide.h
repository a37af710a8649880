// SPDX-License-Identifier: Apache-2.0
// Guide: makes the choices of the driver of a process, and observes its calls.
//
// Without one, all choices are the default, and faults go to stderr.
#pragma once

#include <cuda.h>
#include <sys/types.h>

#include <cstddef>
#include <functional>

#include "harness/fault.h"
#include "harness/pick.h"

namespace harness {

struct World;

/// The turns of the program's threads, one of which runs at a time. A thread of the driver's own
/// that calls the program is one of them.
/// Threads: any that does not have the driver, but for add_own().
class Turns {
 public:
  virtual ~Turns() = default;
  /// Adds a thread of the driver, which may run while `is_due` returns true. `is_due` is called on
  /// any thread, and lives as long as the process. The calling thread has the driver.
  virtual void* add_own(const std::function<bool()>& is_due) = 0;
  /// Called by that thread. Returns when something is due and it is its turn.
  virtual void await_due(void* own) = 0;
  /// Lets the driver's threads run for which something is due. Returns when it is the calling
  /// thread's turn again.
  virtual void let_due_go() = 0;
  /// The calling thread waits for the program. Returns whether another thread has gone meanwhile.
  virtual bool give_way() = 0;
};

/// Threads: coming() and failed() are called by any at any time; the others by code that has the
/// driver.
class Guide {
 public:
  virtual ~Guide() = default;
  /// Returns the strategy, which lives as long as the process.
  virtual Strategy& strategy() = 0;
  /// The calling thread is about to call `function`. Work that takes locks of the program is done
  /// here, because the holder of the driver must not wait for them.
  virtual void coming(Label function) { (void)function; }
  /// The call of `function` is about to return an error. If it is injected, a choice requested it.
  virtual void failed(Label function, CUresult error, bool is_injected) {
    (void)function, (void)error, (void)is_injected;
  }
  /// Called in a child of fork().
  virtual void forked() = 0;
  /// Returns the activation of the call that this thread makes, by its number.
  virtual Activation begin_call(std::size_t thread, Label function) = 0;
  /// Returns whether the current call of this thread does nothing and succeeds.
  virtual bool leaves_out() const { return false; }
  /// Receives the events since the last time, before they are forgotten.
  virtual void passed(const World& world) = 0;
  /// The calling thread has taken the driver.
  virtual void taken() {}
  /// The calling thread is about to release the driver.
  virtual void letting_go(World& world) { (void)world; }
  /// Returns whether the thread with this system id sleeps.
  virtual bool is_asleep(pid_t thread) {
    (void)thread;
    return true;
  }
  /// Returns the turns that the program's threads take; null if they take none.
  virtual Turns* turns() { return nullptr; }
  /// Receives a fault, at once.
  virtual void found(const World& world, const Fault& fault) = 0;
};

}  // namespace harness
