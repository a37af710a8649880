// Guide: decides what the driver of a process does, and hears of its calls.
//
// Without one, all is answered by default, and faults are told on stderr.
#pragma once

#include <cuda.h>
#include <sys/types.h>

#include <cstddef>
#include <functional>

#include "harness/fault.h"
#include "harness/pick.h"

namespace harness {

struct World;

/// The turns of the program's threads, one of which goes at a time. A thread of the driver's own
/// that calls the program is one of them.
/// Threads: any that does not have the driver, but for add_own().
class Turns {
 public:
  virtual ~Turns() = default;
  /// Adds a thread of the driver's own, which may go while something is due for it. `is_due` is
  /// asked on any thread, and lives as long as the process. The calling thread has the driver.
  virtual void* add_own(const std::function<bool()>& is_due) = 0;
  /// The calling thread is that one. Returns when something is due, and it is its turn.
  virtual void await_due(void* own) = 0;
  /// Lets those go that something is due for. Returns when it is the calling thread's turn again.
  virtual void let_due_go() = 0;
  /// The calling thread waits for the program. Returns whether another thread has gone meanwhile.
  virtual bool give_way() = 0;
};

/// Threads: coming() and failed() are called by any at any time; the others by code that has the
/// driver.
class Guide {
 public:
  virtual ~Guide() = default;
  /// Returns who answers, for as long as the process lives.
  virtual Strategy& strategy() = 0;
  /// Hears that the calling thread is about to call `function`. What takes the program's own locks
  /// is done here, as nothing may wait for those that has the driver.
  virtual void coming(Label function) { (void)function; }
  /// Hears that the calling thread's call of `function` is about to return an error, which a pick
  /// asked for if it is injected.
  virtual void failed(Label function, CUresult error, bool is_injected) {
    (void)function, (void)error, (void)is_injected;
  }
  /// Hears, in a child of fork(), that it is another process from now on.
  virtual void forked() = 0;
  /// Returns the activation of the call that this thread makes, by its number.
  virtual Activation begin_call(std::size_t thread, Label function) = 0;
  /// Returns whether the call that this thread has begun is to do nothing, and to succeed.
  virtual bool leaves_out() const { return false; }
  /// Hears what has happened since it last heard, before that is forgotten.
  virtual void passed(const World& world) = 0;
  /// Hears that the calling thread has taken the driver.
  virtual void taken() {}
  /// Hears that it is about to let others, and the program, continue.
  virtual void letting_go(World& world) { (void)world; }
  /// Returns whether a thread, as the system numbers it, sleeps.
  virtual bool is_asleep(pid_t thread) {
    (void)thread;
    return true;
  }
  /// Returns the turns that the program's threads take; null if they take none.
  virtual Turns* turns() { return nullptr; }
  /// Takes a fault, at once.
  virtual void found(const World& world, const Fault& fault) = 0;
};

}  // namespace harness
