// SPDX-License-Identifier: Apache-2.0
// Logs: the driver's error log, which this driver never writes.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <set>

namespace harness::devices {

/// Callbacks registered for messages. Threads: confined to the run's thread.
class Logs {
 public:
  void begin() {
    callbacks_.clear();
    last_ = 0;
  }
  CUlogsCallbackHandle add() {
    callbacks_.insert(++last_);
    return reinterpret_cast<CUlogsCallbackHandle>(last_);
  }
  /// Returns whether it was registered.
  bool remove(CUlogsCallbackHandle callback) {
    return callbacks_.erase(reinterpret_cast<std::uintptr_t>(callback)) != 0;
  }

 private:
  std::set<std::uintptr_t> callbacks_;
  std::uintptr_t last_ = 0;
};

}  // namespace harness::devices
