// SPDX-License-Identifier: Apache-2.0
// Stopwatch: measures the time since its construction.
#pragma once

#include <chrono>

namespace harness::nightly {

class Stopwatch {
 public:
  /// Returns the time since its construction in seconds.
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace harness::nightly
