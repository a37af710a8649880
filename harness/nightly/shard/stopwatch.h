// SPDX-License-Identifier: Apache-2.0
// Stopwatch: the seconds since it was made.
#pragma once

#include <chrono>

namespace harness::nightly {

class Stopwatch {
 public:
  /// Returns the time since it was made.
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace harness::nightly
