// SPDX-License-Identifier: Apache-2.0
// IdleDevice: advances the device if the program waits for it without a call, such as for a host
// function that sets a Python event.
#pragma once

#include <atomic>
#include <functional>

#include "harness/core/world.h"

namespace harness::entries {

/// Late work is usually completed when a call waits or queries. If there are no calls, and all
/// threads are asleep or a second has passed, our thread completes all of it. Since that depends on
/// a clock, the run may not repeat. The thread exists only while work is late, so that a program
/// that forks usually does not have it.
///
/// Threads: requires the driver. Lifetime: until the process ends.
class IdleDevice {
 public:
  /// `went_on` is called after the device has advanced by itself, on a thread that has the driver.
  explicit IdleDevice(std::function<void()> went_on) : went_on_(std::move(went_on)) {}

  /// Notes that the program calls the driver.
  void begin_call() { ++call_count_; }
  /// Called when the driver is let go. `lags`: some work is late.
  void left(bool lags);
  /// Returns whether the device cannot advance by itself: no work is late, or it has advanced since
  /// the last call without effect.
  bool is_stuck() const { return !lags_ || gone_on_after_ == call_count_; }

 private:
  void stay_awake();
  bool waits_for_device() const;
  void go_on(World& world);

  std::function<void()> went_on_;
  std::atomic<std::uint64_t> call_count_{0};
  std::atomic<std::uint64_t> gone_on_after_{~std::uint64_t{0}};  ///< Call count at last advance.
  std::atomic<bool> lags_{false};
  std::atomic<bool> is_awake_{false};  ///< The thread exists.
  unsigned awake_in_ = 0;              ///< Generation of the process that has the thread.
};

}  // namespace harness::entries
