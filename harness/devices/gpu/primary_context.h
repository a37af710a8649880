// SPDX-License-Identifier: Apache-2.0
// PrimaryContext: the device's primary context, retained by a run. Creating one takes 0.2 s, so the
// process keeps it from run to run, unless a run releases it, a kernel has broken it, or its state
// differs from that of a new one.
#pragma once

#include "harness/driver/cuda/cuda.h"

namespace harness::devices {

/// Ownership: borrows the driver. Threads: the run's.
class PrimaryContext {
 public:
  explicit PrimaryContext(const DriverTable& driver) : driver_(driver) {}

  void begin();
  /// Ends the run: releases its references.
  void end(bool is_broken);

  CUcontext handle() const { return handle_; }
  bool is_active() const { return count_ > 0 && !is_reset_; }
  /// Retains it for the run. Returns the driver's result.
  CUresult retain(CUcontext* context, CUdevice device);
  /// Releases a reference of the run; an error if the run has none.
  CUresult release(CUdevice device);
  /// Destroys it. The run may still release its references.
  CUresult reset(CUdevice device);
  /// Notes that its state differs from that of a new one, for example by a limit.
  void change() { is_changed_ = true; }

 private:
  void keep();
  void let_go();

  const DriverTable& driver_;
  CUcontext handle_ = nullptr;
  unsigned count_ = 0;  ///< Number of references of the run.
  bool is_changed_ = false;
  bool is_reset_ = false;  ///< Whether it was reset since the run last retained it.
};

}  // namespace harness::devices
