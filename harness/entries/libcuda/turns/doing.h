// SPDX-License-Identifier: Apache-2.0
// Doing: a call of a C library function by a thread that takes turns.
#pragma once

#include <pthread.h>

#include <cerrno>

#include "harness/entries/libcuda/turns/held_clock.h"

namespace harness::entries {

/// Threads: confined to the calling one. What that does meanwhile is not a step of the program's.
class Doing {
 public:
  /// Null where the calling thread takes no turns.
  explicit Doing(Label function);
  explicit operator bool() const { return me_ != nullptr; }
  BatonThread& operator*() const { return *me_; }
  BatonThread* thread() const { return me_; }
  /// Returns whether it is none of the program's steps.
  bool is_ours() const { return is_ours_; }

  /// Says whether the function may be cancelled while it waits. One that may ends the thread at
  /// once if it was cancelled before: it may never come to wait.
  void allow_cancel(bool allows) const {
    me_->is_cancellable = allows;
    if (allows) pthread_testcancel();
  }
  /// Another one may continue.
  void offer() const;
  /// Waits until another wakes those that wait for this.
  Woken park(const void* on, const Baton::Limit& limit, bool may_look_again = true) const;
  /// Tries until it gets the resource, and parks on it between attempts.
  template <class Try>
  int take(const void* on, const Moment* end, Try tries) const {
    offer();
    int status = tries();
    if (!is_taken(status)) return status;
    const Baton::Limit limit = HeldClock::rest_until(end);
    while (is_taken(status)) {
      if (park(on, limit) == Woken::timed_out) return ETIMEDOUT;
      status = tries();
    }
    return status;
  }
  /// Returns whether something else has it, which a try says so or so.
  static bool is_taken(int status) { return status == EBUSY || status == ETIMEDOUT; }

  /// The baton of all, once there is one.
  static Baton& baton();
  static void use(Baton& baton);

 private:
  bool is_ours_;
  BatonThread* me_;
  Baton::Inside inside_;
};

inline constexpr std::uint32_t kAll = ~std::uint32_t{0};

/// Wakes this many of those that wait for this; what is ours nothing waits for. Returns the status.
int wakes(const Doing& doing, const void* on, std::uint32_t count, int status);

}  // namespace harness::entries
