// SPDX-License-Identifier: Apache-2.0
// Python: the interpreter of the process that we are in, by its public C interface, looked up by
// name: a program that is none has no such functions.
//
// Versions: 3.10 and later.
#pragma once

#include <string>
#include <utility>

#include "harness/client/report.h"
#include "harness/pick.h"

namespace harness::entries {

/// Threads: any for all of it. Takes the interpreter's lock, unless that is said to be had.
class Python {
 public:
  /// Returns the interpreter, or null if there is none that runs.
  static const Python* find();

  /// Returns where the calling thread is, the innermost function first. Empty for a thread that is
  /// not the interpreter's.
  client::Place place() const;
  /// Returns the same, also while the interpreter ends; empty if there is none.
  static client::Place calling_place();
  /// Returns whether the calling thread is the interpreter's.
  bool knows_thread() const;
  /// Returns whether the calling thread has the interpreter's lock.
  bool has_lock() const;

  /// Reports the interpreter since the line before.
  struct Since {
    bool has_looked = false;       ///< It has, if something wants to know.
    bool has_just_looked = false;  ///< Right before this line: what is due happens by itself.
  };
  /// A line of a user's file.
  struct Line {
    const std::string& file;  ///< Lives until the process ends.
    int number;
    Name name;  ///< It names the instruction, and stays the same when lines move.
  };
  enum class Collects { never, when_it_looks, at_once };

  /// Hears of the lines of the threads that are watched, before they run. The thread has the
  /// interpreter's lock.
  class Lines {
   public:
    virtual ~Lines() = default;
    /// Returns whether it wants to know where the interpreter looks if another thread is to
    /// continue.
    virtual bool has_several_threads() = 0;
    /// Hears of a line of a user's file. Returns whether the collector is to run.
    virtual Collects line(const Line& line, Since since) = 0;
    /// Hears of a line of a library.
    virtual void library_line() = 0;
  };
  /// Has the collector run no more by itself, and watches the lines of the calling thread. Where it
  /// is to run it does when the interpreter next looks whether something is to be done, as in any
  /// run of the program. Returns false where something else watches lines already, as debuggers do.
  bool watch(Lines& lines) const;
  /// Watches the threads that `threading` starts from now on, too, where this thread is watched.
  /// Returns false where something else does. The calling thread has the interpreter's lock.
  bool watch_new_threads() const;

  /// Returns whether the calling thread is one that is watched, and in no collection.
  bool can_be_forced() const;
  /// Runs the collector on the calling thread, wherever that is. The program may have disabled it.
  void collect() const;
  /// Returns its version, "3.12", and whether it collects only if it looks.
  static std::pair<std::string, bool> version();
  /// Returns a sentence that says why nothing of a program with this interpreter can be judged, or
  /// nothing.
  static std::string why_refused();
  /// Returns a sentence that says why an interpreter which is there cannot be found, or nothing.
  static std::string why_not_asked();

  /// Returns the name of the thread that the calling one is about to start by `threading`, or
  /// nothing if it is not. The calling thread has the interpreter's lock.
  std::string starting_thread() const;

 private:
  Python() = default;
};

}  // namespace harness::entries
