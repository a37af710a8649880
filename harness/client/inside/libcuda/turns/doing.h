// SPDX-License-Identifier: Apache-2.0
// Doing: a call of a C library function by a thread that takes turns.
#pragma once

#include <pthread.h>

#include <cerrno>

#include "harness/client/inside/libcuda/turns/held_clock.h"

namespace harness::entries {

/// Threads: confined to the calling one. While it exists, the thread's actions are not steps.
class Doing {
 public:
  /// Null if the calling thread takes no turns.
  explicit Doing(Label function);
  explicit operator bool() const { return me_ != nullptr; }
  BatonThread& operator*() const { return *me_; }
  BatonThread* thread() const { return me_; }
  /// Returns whether the call is not a step of the program.
  bool is_ours() const { return is_ours_; }

  /// Sets whether the function is a cancellation point while it waits. If so, and the thread was
  /// cancelled before, ends it at once, because it might never wait.
  void allow_cancel(bool allows) const {
    me_->is_cancellable = allows;
    if (allows) pthread_testcancel();
  }
  /// Lets the judge choose another thread.
  void offer() const;
  /// Waits until another thread wakes the waiters on this address.
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
  /// Returns whether the resource is taken, according to the status of an attempt.
  static bool is_taken(int status) { return status == EBUSY || status == ETIMEDOUT; }

  /// The common baton, once it exists.
  static Baton& baton();
  static void use(Baton& baton);

 private:
  bool is_ours_;
  BatonThread* me_;
  Baton::Inside inside_;
};

inline constexpr std::uint32_t kAll = ~std::uint32_t{0};

/// Wakes at most `count` waiters on this address, unless the call is ours. Returns the status.
int wakes(const Doing& doing, const void* on, std::uint32_t count, int status);

}  // namespace harness::entries
