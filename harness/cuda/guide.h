// Guide: decides what the driver of a process does, and hears of its calls.
//
// Without one, all is answered plainly, and faults are told on stderr.
#pragma once

#include <cuda.h>
#include <sys/types.h>

#include <cstddef>

#include "harness/fault.h"
#include "harness/pick.h"

namespace harness {

struct World;

/// Threads: coming() and failed() are called by any at any time; the others by whoever has the
/// driver.
class Guide {
 public:
  virtual ~Guide() = default;
  /// Returns who answers, for as long as the process lives.
  virtual Strategy& strategy() = 0;
  /// Hears that the calling thread is about to call `function`. What takes the program's own locks
  /// is done here, as nobody may wait for those who has the driver.
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
  /// Hears that it is about to let others, and the program, go on.
  virtual void letting_go(World& world) { (void)world; }
  /// Returns whether a thread, as the system numbers it, sleeps.
  virtual bool is_asleep(pid_t thread) {
    (void)thread;
    return true;
  }
  /// Takes a fault, at once.
  virtual void found(const World& world, const Fault& fault) = 0;
};

}  // namespace harness
