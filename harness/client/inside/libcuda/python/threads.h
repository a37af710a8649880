// SPDX-License-Identifier: Apache-2.0
// Python threads: threads started by Python's `threading` take turns, so that the next one to run
// is a choice, and not determined by the system.
//
// Threads that are started in another way run freely, as do those of libraries.
#pragma once

#include <string>

#include "harness/client/inside/libcuda/python/python.h"
#include "harness/client/inside/libcuda/turns/baton.h"

namespace harness::entries {

/// Lifetime: until the process ends. Threads: any.
class PythonThreads {
 public:
  /// Makes the choices for these threads.
  class Guide : public Baton::Judge {
   public:
    /// Called when the calling thread is about to start the first other one. Returns its name.
    virtual Name name_first_thread() = 0;
    /// Called if another tool watches the lines of the threads.
    virtual void are_not_watched() = 0;
  };

  /// Passes our hooks to the preloaded library, if there is one.
  static void listen();

  explicit PythonThreads(Guide& guide);

  /// Called before a line of the user's. The thread has the interpreter's lock. `may_switch`:
  /// another thread may run here. `forces`: a switch is offered even if it may not.
  void line(const Python::Line& line, bool may_switch, bool forces);
  /// Called before a line of a library.
  void library_line();
  /// Called before a driver call. `forces`: a switch is offered even if the caller keeps the
  /// interpreter's lock.
  void call(bool forces);
  /// Returns whether other threads can run, now or soon, while the calling thread is in the driver.
  bool others_may_go_on() const;

  /// Returns whether there are several threads now.
  bool are_several() const { return baton_.is_shared(); }
  /// Returns whether all threads wait for each other, and the thread with this id is one of them.
  /// Returns false if they cannot be inspected now.
  bool is_stuck(pid_t thread) { return baton_.is_stuck(thread); }
  /// Returns the program's name of the thread; "" if it takes no turns.
  std::string name_of(pid_t thread) const;
  Baton& baton() { return baton_; }
  const std::deque<BatonThread>& all() const { return baton_.threads(); }

 private:
  struct Hooks;

  BatonThread* start_another(const std::string& shown);
  void step(BatonThread& me, Baton::At at, bool may_ask);

  Guide& guide_;
  Baton& baton_;  ///< Never destroyed.
};

}  // namespace harness::entries
