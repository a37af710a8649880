// Python: the interpreter of the process that we are in, by its public C interface, looked up by
// name: a program that is none has no such functions.
//
// Versions: 3.10 and later.
#pragma once

#include "harness/client/report.h"

namespace harness::entries {

/// Threads: any for all of it. Takes the interpreter's lock.
class Python {
 public:
  /// Returns the interpreter, or null where there is none that runs.
  static const Python* find();

  /// Returns where the calling thread is, the innermost function first. Empty for a thread that is
  /// not the interpreter's.
  client::Place place() const;

  /// Answers whether the collector is to run, when a line of a user's file is about to run.
  using Question = bool (*)(const char* file, int line);
  /// Has the collector run no more by itself, and asks from now on, on this thread. It then runs
  /// when the interpreter next looks whether something is to be done, as in any run of the program.
  /// Returns false where somebody else watches lines already, as debuggers do.
  bool ask_when_to_collect(Question question) const;

 private:
  Python() = default;
  bool look_up();
};

}  // namespace harness::entries
