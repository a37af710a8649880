// SPDX-License-Identifier: Apache-2.0
// Vector clock: for each thread, how much of it happened before a point of the program.
//
// Source: Mattern 1989; Flanagan and Freund, "FastTrack", PLDI 2009.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace harness::entries {

/// Times are counted for each thread by its number. Absent ones are 0.
class VectorClock {
 public:
  std::uint32_t at(std::size_t thread) const { return thread < times_.size() ? times_[thread] : 0; }
  void advance(std::size_t thread) {
    if (thread >= times_.size()) times_.resize(thread + 1);
    ++times_[thread];
  }
  /// Includes all that the other clock includes.
  void join(const VectorClock& other) {
    if (other.times_.size() > times_.size()) times_.resize(other.times_.size());
    for (std::size_t i = 0; i < other.times_.size(); ++i)
      times_[i] = std::max(times_[i], other.times_[i]);
  }

 private:
  std::vector<std::uint32_t> times_;
};

}  // namespace harness::entries
