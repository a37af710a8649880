// SPDX-License-Identifier: Apache-2.0
// Python: the interpreter in this process, by its public C interface. The functions are looked up
// by name, because a program without Python does not have them.
//
// Versions: 3.10 and later.
#pragma once

#include <string>
#include <utility>

#include "harness/client/border/report.h"
#include "harness/core/pick/pick.h"

namespace harness::entries {

/// Threads: any. Takes the interpreter's lock, unless a function requires it.
class Python {
 public:
  /// Returns the interpreter, or null if none is running.
  static const Python* find();

  /// Returns the call stack of the calling thread, the innermost function first. Empty for a thread
  /// without Python state.
  client::Place place() const;
  /// Returns the same, also during finalization; empty if there is no interpreter.
  static client::Place calling_place();
  /// Returns whether the calling thread has Python state.
  bool knows_thread() const;
  /// Returns whether the calling thread has the interpreter's lock.
  bool has_lock() const;

  /// Whether the interpreter has checked for pending work since the previous line.
  struct Since {
    bool has_looked = false;       ///< It has; known only if has_several_threads().
    bool has_just_looked = false;  ///< It has, right before this line: pending work was done.
  };
  /// A line of a user's file.
  struct Line {
    const std::string& file;  ///< Lives until the process ends.
    int number;
    Name name;  ///< The name of its instruction, which does not change when lines move.
  };
  enum class Collects { never, when_it_looks, at_once };

  /// Receives the lines of watched threads before they run. The calling thread has the
  /// interpreter's lock.
  class Lines {
   public:
    virtual ~Lines() = default;
    /// Returns whether it needs to know where the interpreter checks for a thread switch.
    virtual bool has_several_threads() = 0;
    /// Called before a line of a user's file. Returns whether the collector should run.
    virtual Collects line(const Line& line, Since since) = 0;
    /// Called before a line of a library.
    virtual void library_line() = 0;
  };
  /// Disables automatic collections, and watches the lines of the calling thread. A requested
  /// collection runs when the interpreter next checks for pending work, as in an ordinary run.
  /// Returns false if another tool, such as a debugger, watches lines already.
  bool watch(Lines& lines) const;
  /// Also watches threads that `threading` starts from then on, if this thread is watched. Returns
  /// false if another tool does. Requires the interpreter's lock.
  bool watch_new_threads() const;

  /// Returns whether the calling thread is watched and not in a collection.
  bool can_be_forced() const;
  /// Runs the collector on the calling thread at once, even if the program has disabled it.
  void collect() const;
  /// Returns its version, "3.12", and whether it collects only where it checks for pending work.
  static std::pair<std::string, bool> version();
  /// Returns why programs with this interpreter cannot be judged, as a sentence, or "".
  static std::string why_refused();
  /// Returns why the interpreter in this process cannot be used, as a sentence, or "".
  static std::string why_not_asked();

  /// Returns the name of the thread that the calling one is about to start by `threading`, or "".
  /// Requires the interpreter's lock.
  std::string starting_thread() const;

 private:
  Python() = default;
};

}  // namespace harness::entries
