// SPDX-License-Identifier: Apache-2.0
// Estimate: how much slower the head of one benchmark is than its base, and how well that is known.
//
// The first statistic is the difference between the two sides' 20 % quantiles of log time. A low
// quantile is near the time that a program takes when nothing disturbs it, and one lucky process
// does not decide it, as it would a minimum. Rounds are resampled whole: a round that was slow was
// slow for both sides, and stays so in every resample. If its interval is more than twice as wide
// as that of the second statistic, the second counts: the median over the rounds of the log of head
// over base. So it is where four fifths of the rounds are disturbed, and where a process is fast or
// slow by chance and about a fifth are fast: then the quantile jumps between two values.
// harness/docs/explanation/gate.md has the figures. Source: the percentile bootstrap (Efron 1979)
// of a quantile (type 7 of Hyndman and Fan 1996); for the median the interval of the sign test
// (Thompson 1936), which holds for any distribution. Resampling ends early when it is clear that no
// finding can stand (Besag and Clifford 1991, "Sequential Monte Carlo p-values"): a large suite
// asks for many resamples, and few benchmarks in it are near a finding. Units: logarithms of
// ratios; 0 is "as fast", above it the head is slower.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "harness/gate/resamples.h"
#include "harness/gate/samples.h"

namespace harness::gate {

/// The quantile of log time that sides are compared by.
inline constexpr double kQuantile = 0.2;
/// The paired median counts where its interval is narrower than the quantiles' by this much.
inline constexpr double kMuchNarrower = 2;
/// With fewer rounds there is no interval.
inline constexpr std::size_t kLeastRounds = 5;
/// Number of resamples of every estimate, if its terms allow as many.
inline constexpr std::uint32_t kFirstResamples = 10'000;
/// Further resamples are drawn while fewer than this contradict a finding.
inline constexpr std::uint32_t kContradictions = 10;

enum class Statistic : unsigned char { low_quantile, paired_median };

struct Estimate {
  double log_ratio = 0;  ///< Log of how many times slower the head is.
  double low = 0;        ///< Lower end of the interval.
  double high = 0;       ///< Upper end of the interval.
  double p_slower = 1;   ///< Probability of such samples if the head is not slower than the margin.
  double p_faster = 1;   ///< Probability of such samples if the head is not faster than the margin.
  std::size_t rounds = 0;
  Statistic statistic = Statistic::low_quantile;

  /// Returns the half of the interval: what is smaller than this is noise here.
  double noise_floor() const { return (high - low) / 2; }

  bool operator==(const Estimate&) const = default;
};

/// The terms on which an estimate is made.
struct Terms {
  double tail = 0.005;  ///< Probability that the true ratio is below the interval; the same above
                        ///< it.
  double margin = 0;    ///< Log of the ratio, either way, that the two chances are about.
  std::uint32_t resamples = kFirstResamples;  ///< At most.
  std::uint64_t seed = 1;
};

/// Returns the quantile of sorted values, interpolated between its neighbours.
double quantile(std::span<const double> sorted, double at);

/// Estimates by the difference of the low quantiles. A function of its arguments alone.
Estimate compare_quantiles(const Series& series, const Terms& terms);

/// Estimates by the median of the rounds' ratios. The interval has no end below 8 rounds.
Estimate compare_pairs(const Series& series, const Terms& terms);

/// Estimates from at least kLeastRounds rounds by one of the two.
Estimate estimate(const Series& series, const Terms& terms);

/// Says that computing has to end.
using MustEnd = std::function<bool()>;

/// Returns the same estimate from resamples that others share, or nothing if computing had to end.
std::optional<Estimate> estimate(const Series& series, const Terms& terms,
                                 const Resamples& resamples, const MustEnd& must_end);

}  // namespace harness::gate
