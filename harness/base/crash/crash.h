// SPDX-License-Identifier: Apache-2.0
// Crash: a signal that would end the process, as a value. While code under test runs, it ends the
// run instead, and the search continues.
//
// SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT count if the running thread raised them while it had
// a CrashExit; std::terminate and crash_here() count, too. Everything else is handled as before: a
// failed check of the harness, a signal from outside or of another thread, a thread without an
// exit. All code that a run calls counts as code under test, even the harness's own functions,
// because a wild pointer that a target passes crashes there. Judges run later, and their crashes
// end the process.
//
// Threads: handlers belong to the process, exits to the thread. Errors: a corrupted C heap cannot
// be survived. If a signal comes from inside the allocator, one line says so and the process ends.
// A report of a sanitizer ends the process, too.
#pragma once

#include <cstdint>

#include "harness/base/label.h"

namespace harness {

/// The end of the code under test. Equal in every build, except for the evidence.
struct Crash {
  Label signal;             ///< "SIGSEGV", "stack overflow", "endless loop".
  const char* words = "";   ///< Details for the report. Valid until the run is reported.
  std::uintptr_t code = 0;  ///< Program counter; evidence.
};

/// The way out of code under test that crashed. The innermost exit of the thread is used.
class CrashExit {
 public:
  /// Must not return: it switches to another stack or jumps. It runs on the stack of a signal
  /// handler and must not allocate.
  using Leave = void (*)(void* context, const Crash& crash);

  CrashExit(Leave leave, void* context) : leave_(leave), context_(context), previous_(innermost_) {
    innermost_ = this;
  }
  ~CrashExit() { innermost_ = previous_; }
  CrashExit(const CrashExit&) = delete;
  CrashExit& operator=(const CrashExit&) = delete;

  static const CrashExit* innermost() { return innermost_; }
  /// Leaves the crashed code, by calling the function that was passed to the constructor.
  [[noreturn]] void take(const Crash& crash) const;

 private:
  static inline constinit thread_local const CrashExit* innermost_ = nullptr;

  Leave leave_;
  void* context_;
  const CrashExit* previous_;
};

/// Installs the signal handlers of this process, and gives this thread a stack for them, unless
/// that was done before. A program that installs its own handlers (libFuzzer) does so before its
/// first run.
void catch_crashes();

/// Ends the code under test as a signal would. A failed check if the thread has no exit.
[[noreturn]] void crash_here(const Crash& crash);

/// Reports a null pointer or reference that is dereferenced. Every build detects it before the
/// hardware does.
[[noreturn]] void follow_null();

}  // namespace harness
