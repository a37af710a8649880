// OpenFailures: what the next open of IPC memory is told to return, by a pick.
//
// An exporter that freed early makes a driver say "already mapped"; programs that then close what
// they have and try again may hear it a second time, or another error. So one pick speaks of two
// opens.
#pragma once

#include <cuda.h>

#include <utility>
#include <vector>

#include "harness/world.h"

namespace harness {

/// Ownership: of a device; begun again for every run. Each process has its own second open.
class OpenFailures {
 public:
  /// Forgets every second open of the last run.
  void begin() { second_.clear(); }

  /// CUDA_SUCCESS (plain) to continue. Asks only where calls may fail, and not for a second open.
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
  std::vector<CUresult> second_;  ///< By process; success where nothing was said.
};

}  // namespace harness
