// SPDX-License-Identifier: Apache-2.0
// Random: a pseudo-random generator for resamples and orders. Its numbers depend on the seed only.
//
// Source: splitmix64 (Steele, Lea and Flood 2014), with the mix() of harness/base/base.h.
#pragma once

#include <cstdint>

#include "harness/base/base.h"

namespace harness::gate {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  /// Returns the next 64 bits.
  std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15, 0); }

  /// Returns a number in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  /// Returns true or false with equal probability.
  bool coin() { return (next() >> 63) != 0; }

 private:
  std::uint64_t state_;
};

}  // namespace harness::gate
