// SPDX-License-Identifier: Apache-2.0
// Native threads: threads of a program without Python take turns, at each driver call and at each
// synchronisation that the preloaded library intercepts.
//
// The choices are made here, and the baton executes them: a thread that wants a taken lock waits
// for its turn, not in the system. The locks themselves are the system's, so threads without turns
// can use them, too.
#pragma once

#include <functional>

#include "harness/client/inside/libcuda/python/threads.h"
#include "harness/client/inside/libcuda/turns/baton.h"
#include "harness/driver/cuda/guide.h"

namespace harness::entries {

/// Lifetime: until the process ends. Threads: any.
class NativeThreads final : public Turns {
 public:
  /// Passes our hooks to the preloaded library, if there is one.
  static void listen();
  /// Called before the calling thread starts another. Returns the new thread, or null if it takes
  /// no turns.
  static BatonThread* start_another();
  /// It was started.
  static void is_started(BatonThread& thread, pthread_t handle);
  /// Makes the calling thread, which is `me`, leave the baton when it ends.
  static void leave_at_end(BatonThread& me);

  NativeThreads(PythonThreads::Guide& guide, Baton& baton);

  /// Returns whether threads take turns.
  bool are_on() const;
  /// Appends a line to the file that AFTERLIFE_SCHEDULES names, if any: the number of switches, and
  /// a hash of their order.
  void tell_schedule() const;
  /// Called before a driver call.
  void call();
  /// Called when a driver call is about to return.
  static void returns();

  void* add_own(const std::function<bool()>& is_due) override;
  void await_due(void* own) override;
  void let_due_go() override;
  bool give_way() override;

 private:
  void begin();

  PythonThreads::Guide& guide_;
  Baton& baton_;
};

}  // namespace harness::entries
