// SPDX-License-Identifier: Apache-2.0
// OpenFailures: chooses the errors of the next opens of IPC memory.
//
// After an exporter has freed memory too early, a driver returns "already mapped". A program that
// then closes its mapping and tries again may get the same or a different error. So one choice
// covers two opens.
#pragma once

#include <cuda.h>

#include <utility>
#include <vector>

#include "harness/core/world.h"

namespace harness {

/// Ownership: a device owns it and begins it again for every run. Each process has its own second
/// open.
class OpenFailures {
 public:
  /// Forgets every second open of the last run.
  void begin() { second_.clear(); }

  /// Returns CUDA_SUCCESS (the default) or the error to inject. Makes a choice only if calls may
  /// fail, and not for a second open.
  CUresult next(World& world) {
    enum : std::uint32_t { none, mapped_once, mapped_twice, failed, mapped_then_failed, count };
    const std::size_t process = raw(world.scheduler.process());
    if (process < second_.size() && second_[process] != CUDA_SUCCESS)
      return std::exchange(second_[process], CUDA_SUCCESS);
    const std::uint32_t choice = world.pick_failure(count);
    if (choice == none) return CUDA_SUCCESS;
    if (choice == mapped_twice || choice == mapped_then_failed) {
      if (second_.size() <= process) second_.resize(process + 1, CUDA_SUCCESS);
      second_[process] = choice == mapped_twice ? CUDA_ERROR_ALREADY_MAPPED : CUDA_ERROR_MAP_FAILED;
    }
    return choice == failed ? CUDA_ERROR_MAP_FAILED : CUDA_ERROR_ALREADY_MAPPED;
  }

 private:
  std::vector<CUresult> second_;  ///< Result of the next open, by process; success by default.
};

}  // namespace harness
