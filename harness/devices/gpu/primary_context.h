// SPDX-License-Identifier: Apache-2.0
// PrimaryContext: the device's primary context, as a run has retained it. To make one takes a
// driver 0.2 s: the process keeps it from run to run, unless a run lets go of it, a kernel has
// broken it, or it is not as a new one is.
#pragma once

#include "harness/cuda.h"

namespace harness::devices {

/// Ownership: borrows the driver. Threads: the run's.
class PrimaryContext {
 public:
  explicit PrimaryContext(const DriverTable& driver) : driver_(driver) {}

  void begin();
  /// The run is over: releases what it has retained.
  void end(bool is_broken);

  CUcontext handle() const { return handle_; }
  bool is_active() const { return count_ > 0 && !is_reset_; }
  /// The run retains it. Returns the driver's answer.
  CUresult retain(CUcontext* context, CUdevice device);
  /// The run releases what it has retained, and no more.
  CUresult release(CUdevice device);
  /// Destroys it. What the run has retained it may still release.
  CUresult reset(CUdevice device);
  /// It has a limit, say, that a new one has not.
  void change() { is_changed_ = true; }

 private:
  void keep();
  void let_go();

  const DriverTable& driver_;
  CUcontext handle_ = nullptr;
  unsigned count_ = 0;  ///< Number of times that the run retained it.
  bool is_changed_ = false;
  bool is_reset_ = false;  ///< Since the run last retained it.
};

}  // namespace harness::devices
