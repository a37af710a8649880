// SPDX-License-Identifier: Apache-2.0
// Estimate: how much slower the head of a benchmark is than its base, with an interval.
//
// The first statistic is the difference between the 20 % quantiles of log time of both sides. A low
// quantile is near the undisturbed time of a program, and unlike a minimum it does not depend on
// one lucky process. Rounds are resampled as a whole: a slow round was slow for both sides, and
// stays so in each resample. If its interval is more than twice as wide as that of the second
// statistic, the second one is used: the median over the rounds of the log of head over base. This
// happens if four fifths of the rounds are disturbed, and if processes are randomly fast or slow
// and about a fifth are fast: then the quantile jumps between two values.
// harness/docs/explanation/gate.md has the figures. Source: the percentile bootstrap (Efron 1979)
// of a quantile (type 7 of Hyndman and Fan 1996); for the median the interval of the sign test
// (Thompson 1936), which is valid for any distribution. Resampling ends early when no finding can
// be significant (Besag and Clifford 1991, "Sequential Monte Carlo p-values"), because a large
// suite needs many resamples, but few of its benchmarks are near significance. Units: logarithms of
// ratios; 0 is "equal", positive values mean that the head is slower.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "harness/gate/resamples.h"
#include "harness/gate/samples.h"

namespace harness::gate {

/// The quantile of log time by which sides are compared.
inline constexpr double kQuantile = 0.2;
/// The paired median is used if its interval is narrower by this factor.
inline constexpr double kMuchNarrower = 2;
/// Least number of rounds for an interval.
inline constexpr std::size_t kLeastRounds = 5;
/// Number of resamples of each estimate, if its terms permit.
inline constexpr std::uint32_t kFirstResamples = 10'000;
/// Further resamples are drawn while fewer than this contradict a finding.
inline constexpr std::uint32_t kContradictions = 10;

enum class Statistic : unsigned char { low_quantile, paired_median };

struct Estimate {
  double log_ratio = 0;  ///< Log of the ratio of the head's time to the base's.
  double low = 0;        ///< Lower end of the interval.
  double high = 0;       ///< Upper end of the interval.
  double p_slower = 1;   ///< Probability of such samples if the head is not slower than the margin.
  double p_faster = 1;   ///< Probability of such samples if the head is not faster than the margin.
  std::size_t rounds = 0;
  Statistic statistic = Statistic::low_quantile;

  /// Returns half of the interval's width: smaller differences are noise.
  double noise_floor() const { return (high - low) / 2; }

  bool operator==(const Estimate&) const = default;
};

/// The parameters of an estimate.
struct Terms {
  double tail = 0.005;  ///< Probability that the true ratio is below the interval; the same above.
  double margin = 0;    ///< Log of the ratio for p_slower and p_faster.
  std::uint32_t resamples = kFirstResamples;  ///< Limit of resamples.
  std::uint64_t seed = 1;
};

/// Returns the quantile of sorted values, interpolated between its neighbours.
double quantile(std::span<const double> sorted, double at);

/// Estimates the difference of the low quantiles. Depends on its arguments only.
Estimate compare_quantiles(const Series& series, const Terms& terms);

/// Estimates the median of the rounds' ratios. With fewer than 8 rounds the interval is infinite.
Estimate compare_pairs(const Series& series, const Terms& terms);

/// Estimates by one of the two statistics. Requires at least kLeastRounds rounds.
Estimate estimate(const Series& series, const Terms& terms);

/// Returns whether computing must stop.
using MustEnd = std::function<bool()>;

/// Returns the same estimate from shared resamples; nothing if computing had to stop.
std::optional<Estimate> estimate(const Series& series, const Terms& terms,
                                 const Resamples& resamples, const MustEnd& must_end);

}  // namespace harness::gate
