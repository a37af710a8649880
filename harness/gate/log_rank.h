// SPDX-License-Identifier: Apache-2.0
// Log rank: whether something takes longer on one side than on the other, where not everything was
// waited for to its end.
//
// The waits of a stratum are compared with each other alone: the score of a wait is whether it
// ended, less how many ends its length would let one expect. The scores of a side add up over the
// strata, to its ends less those that were expected. Waits of several strata that come from one
// trial may depend on each other, so that the variance is that of exchanging whole trials.
// Source: Mantel 1966, and the scores and the permutation of Peto and Peto 1972.
// Units: any time, above zero.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace harness::gate {

/// How long something took, or how long it was waited for in vain.
struct Wait {
  double time = 0;
  bool ended = false;
};

/// Waits of one kind, one of each trial; none if a trial has no such wait.
struct Stratum {
  std::vector<std::optional<Wait>> base;
  std::vector<std::optional<Wait>> head;
};

/// Strata of the same trials: the i-th waits of a side all come from its i-th trial.
using Block = std::vector<Stratum>;

/// The comparison of two sides.
struct LogRank {
  double excess = 0;       ///< Ends of the head, less those that were expected of it.
  double information = 0;  ///< Variance of the excess where strata do not depend on each other.
  double variance = 0;     ///< Variance of the excess where trials are exchanged.

  /// Returns how many times longer the head takes. Source: the one-step estimator of Peto.
  double factor() const;
  /// Returns an end of the interval of the factor, `z` standard errors away.
  double factor_at(double z) const;
  /// Returns the probability of an excess as low as this one if the sides do not differ.
  double p_longer() const;
  /// Returns the probability of an excess as high as this one if the sides do not differ.
  double p_shorter() const;
};

/// Compares base and head. Blocks do not depend on each other.
LogRank log_rank(std::span<const Block> blocks);

/// Returns how many times as many trials it takes to find at `level`, with a chance of `power`,
/// that one side takes `factor` times as long, if no wait is longer than `limit`; infinity where
/// none would do. Tries it on these waits, with either side slowed.
double times_for(double factor, double limit, double level, double power,
                 std::span<const Block> blocks);

/// Returns the quantile of the normal distribution for this probability, in (0, 1).
double normal_quantile(double chance);

}  // namespace harness::gate
