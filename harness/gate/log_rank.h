// SPDX-License-Identifier: Apache-2.0
// Log rank: tests whether something takes longer on one side than on the other, if some waits are
// censored.
//
// Waits are compared within a stratum. The score of a wait is 1 if it ended, else 0, minus the
// number of ends expected by its time. The sum of a side's scores over all strata is its number of
// ends minus the expected number. Waits in several strata that belong to one trial may be
// dependent, so the variance is that of permuting whole trials. Source: Mantel 1966, and the scores
// and the permutation of Peto and Peto 1972. Units: any time, positive.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace harness::gate {

/// The time until something happened, or, if it did not, the time of the observation.
struct Wait {
  double time = 0;
  bool ended = false;
};

/// Waits of one kind, one per trial; nothing for a trial without such a wait.
struct Stratum {
  std::vector<std::optional<Wait>> base;
  std::vector<std::optional<Wait>> head;
};

/// Strata with the same trials: the i-th waits of a side all belong to its i-th trial.
using Block = std::vector<Stratum>;

/// The comparison of two sides.
struct LogRank {
  double excess = 0;       ///< Ends of the head minus the expected number.
  double information = 0;  ///< Variance of the excess if strata were independent.
  double variance = 0;     ///< Variance of the excess under permutation of trials.

  /// Returns the ratio of the head's time to the base's. Source: the one-step estimator of Peto.
  double factor() const;
  /// Returns a bound of the factor's interval, `z` standard errors away.
  double factor_at(double z) const;
  /// Returns the probability of an excess as low as this one if the sides do not differ.
  double p_longer() const;
  /// Returns the probability of an excess as high as this one if the sides do not differ.
  double p_shorter() const;
};

/// Compares base and head. Blocks must be independent.
LogRank log_rank(std::span<const Block> blocks);

/// Returns by which factor the number of trials must grow to detect, at `level` and with
/// probability `power`, that one side takes `factor` times as long, if waits are censored at
/// `limit`; infinity if that is impossible. Computed by slowing either side of these waits.
double times_for(double factor, double limit, double level, double power,
                 std::span<const Block> blocks);

/// Returns the quantile of the normal distribution for this probability, in (0, 1).
double normal_quantile(double chance);

}  // namespace harness::gate
