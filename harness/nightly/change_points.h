// SPDX-License-Identifier: Apache-2.0
// Change points: where a series of numbers, one per night, became another one.
//
// Source: E-divisive (Matteson and James 2014, "A Nonparametric Approach for Multiple Change Point
// Analysis of Multivariate Data", with the energy distance of exponent 1), as MongoDB uses it for
// its performance tests (Daly et al. 2020). Where we depart: the sample after a change goes to the
// end of its segment, as in Hunter (Fleming et al. 2023), and a segment has three values at least;
// a permutation test ends as soon as its answer is known; of the numbers the logarithms count.
//
// A function of the numbers and the seed. Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace harness::nightly {

struct ChangeRule {
  double level = 0.001;  ///< Chance of a change point in a series that has none.
  std::size_t permutations = 1999;
  std::size_t least_values = 3;  ///< The fewest in a segment.
  std::uint64_t seed = 1;
};

struct ChangePoint {
  std::size_t index = 0;  ///< The first value after it.
  double ratio = 1;       ///< Median of its segment over that of the segment before.
  double chance =
      1;  ///< How likely such a change is in a series without one, by the permutation test.
  bool operator==(const ChangePoint&) const = default;
};

/// Returns the change points in their order. All values are positive.
std::vector<ChangePoint> change_points(std::span<const double> values, const ChangeRule& rule = {});

/// Returns the median; of an even number, the mean of the two in the middle.
double median_of(std::vector<double> values);

}  // namespace harness::nightly
