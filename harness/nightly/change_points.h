// SPDX-License-Identifier: Apache-2.0
// Change points: finds where a series of numbers, one per night, changes.
//
// Source: E-divisive (Matteson and James 2014, "A Nonparametric Approach for Multiple Change Point
// Analysis of Multivariate Data", with the energy distance of exponent 1), as MongoDB uses it for
// its performance tests (Daly et al. 2020). We depart from it in these points: the sample after a
// change extends to the end of its segment, as in Hunter (Fleming et al. 2023), and a segment has
// at least three values; a permutation test ends when its result is certain; logarithms of the
// numbers are used.
//
// The result depends only on the numbers and the seed. Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace harness::nightly {

struct ChangeRule {
  double level = 0.001;  ///< Probability of a false change point in a constant series.
  std::size_t permutations = 1999;
  std::size_t least_values = 3;  ///< Least number of values in a segment.
  std::uint64_t seed = 1;
};

struct ChangePoint {
  std::size_t index = 0;  ///< The first value after it.
  double ratio = 1;       ///< Median of its segment divided by that of the segment before.
  double chance =
      1;  ///< Probability of such a change in a constant series, by the permutation test.
  bool operator==(const ChangePoint&) const = default;
};

/// Returns the change points in order. All values must be positive.
std::vector<ChangePoint> change_points(std::span<const double> values, const ChangeRule& rule = {});

/// Returns the median; for an even number of values, the mean of the middle two.
double median_of(std::vector<double> values);

}  // namespace harness::nightly
