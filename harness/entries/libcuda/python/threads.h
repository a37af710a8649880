// SPDX-License-Identifier: Apache-2.0
// Python threads: those that Python's `threading` starts take turns, so that which one runs next is
// decided and not left to the system.
//
// A thread that begins in another way runs free, as do those of libraries.
#pragma once

#include <string>

#include "harness/entries/libcuda/python/python.h"
#include "harness/entries/libcuda/turns/baton.h"

namespace harness::entries {

/// Lifetime: until the process ends. Threads: any.
class PythonThreads {
 public:
  /// Decides for them.
  class Guide : public Baton::Judge {
   public:
    /// Hears that the calling thread is about to start the first other one. Returns its name.
    virtual Name name_first_thread() = 0;
    /// Hears that something else watches the lines of the threads.
    virtual void are_not_watched() = 0;
  };

  /// Gives hooks to the library that is loaded before the program; there may be none.
  static void listen();

  explicit PythonThreads(Guide& guide);

  /// Comes to a line of the user's. The thread has the interpreter's lock. `may_switch`: another
  /// thread may continue here; `forces`: it is asked to even if it may not.
  void line(const Python::Line& line, bool may_switch, bool forces);
  /// Comes to a line of a library.
  void library_line();
  /// Is about to call the driver. `forces`: another one is asked to continue even if the caller
  /// keeps the interpreter's lock.
  void call(bool forces);
  /// Returns whether others may continue while the calling thread calls the driver, or soon.
  bool others_may_go_on() const;

  /// Returns whether there are several now.
  bool are_several() const { return baton_.is_shared(); }
  /// Returns whether all wait for another one of them, and this is one: a thread as the system
  /// numbers it. Returns false if they cannot be looked at now.
  bool is_stuck(pid_t thread) { return baton_.is_stuck(thread); }
  /// Returns the program's name of the thread; empty for one that takes no turns.
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
