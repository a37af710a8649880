// SPDX-License-Identifier: Apache-2.0
// IdleDevice: advances the device while the program waits for it without a call, such as for a host
// function that sets a Python event.
#pragma once

#include <atomic>
#include <functional>

#include "harness/world.h"

namespace harness::entries {

/// Work that lags behind is done when something waits, or a query is made. If nothing calls, and
/// all threads are asleep or a second is over, a thread of ours has all of it done: since that
/// depends on a clock, the run may not repeat. The thread is there only while work lags, so that a
/// program which forks mostly has none.
///
/// Threads: for code that has the driver. Lifetime: until the process ends.
class IdleDevice {
 public:
  /// `went_on` hears, in the thread that has the driver, that the device has gone on by itself.
  explicit IdleDevice(std::function<void()> went_on) : went_on_(std::move(went_on)) {}

  /// The program calls the driver.
  void begin_call() { ++call_count_; }
  /// The driver is let go, and there is work that lags, or none.
  void left(bool lags);
  /// Returns whether it cannot continue by itself: no work is late, or it has continued since the
  /// last call without effect.
  bool is_stuck() const { return !lags_ || gone_on_after_ == call_count_; }

 private:
  void stay_awake();
  bool waits_for_device() const;
  void go_on(World& world);

  std::function<void()> went_on_;
  std::atomic<std::uint64_t> call_count_{0};
  std::atomic<std::uint64_t> gone_on_after_{~std::uint64_t{0}};  ///< This many calls.
  std::atomic<bool> lags_{false};
  std::atomic<bool> is_awake_{false};  ///< The thread is there,
  unsigned awake_in_ = 0;              ///< in the process of this generation.
};

}  // namespace harness::entries
