// SPDX-License-Identifier: Apache-2.0
// How it works. A resample has a count per round: how often the round was drawn (resamples.h). Both
// sides are sorted once. The quantile of a side in a resample is found by adding up the counts of
// its rounds from the fastest, for many resamples in parallel, so that the compiler can use vector
// instructions. An estimate of 20 rounds takes about 0.2 ms. The sign test needs no resamples.
#include "harness/gate/estimate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "harness/base/base.h"

namespace harness::gate {
namespace {

/// The quantiles of the resamples in a block.
using Quantiles = std::array<double, Resamples::kLanes>;

/// The rounds of one side, ordered from the fastest to the slowest.
class Sorted {
 public:
  explicit Sorted(const std::vector<double>& logs) : values_(logs.size()), rounds_(logs.size()) {
    std::iota(rounds_.begin(), rounds_.end(), 0U);
    std::sort(rounds_.begin(), rounds_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return logs[a] != logs[b] ? logs[a] < logs[b] : a < b;
    });
    for (std::size_t i = 0; i < rounds_.size(); ++i) values_[i] = logs[rounds_[i]];
  }

  std::size_t size() const { return values_.size(); }
  double quantile() const { return gate::quantile(values_, kQuantile); }

  /// Returns the quantiles of the resamples in a block.
  Quantiles quantiles(const Resamples::Count* block) const {
    const double place = kQuantile * static_cast<double>(values_.size() - 1);
    const auto below = static_cast<std::uint32_t>(place);
    std::array<std::uint32_t, Resamples::kLanes> passed{}, low{}, high{};
    bool is_open = true;
    for (std::size_t i = 0; i < values_.size() && is_open; ++i) {
      const Resamples::Count* counts = block + rounds_[i] * Resamples::kLanes;
      std::uint32_t open = 0;
      for (std::size_t lane = 0; lane < Resamples::kLanes; ++lane) {
        passed[lane] += counts[lane];
        low[lane] += passed[lane] <= below;
        high[lane] += passed[lane] <= below + 1;
        open |= static_cast<std::uint32_t>(passed[lane] <= below + 1);
      }
      is_open = open != 0;
    }
    Quantiles found;
    for (std::size_t lane = 0; lane < Resamples::kLanes; ++lane)
      found[lane] =
          values_[low[lane]] + (place - below) * (values_[high[lane]] - values_[low[lane]]);
    return found;
  }

 private:
  std::vector<double> values_;
  std::vector<std::uint32_t> rounds_;
};

std::vector<double> logs_of(const Series& series, double Pair::* side) {
  std::vector<double> logs;
  logs.reserve(series.size());
  for (const Pair& pair : series) logs.push_back(std::log(pair.*side));
  return logs;
}

/// The differences between the quantiles of both sides, one per resample.
class Differences {
 public:
  Differences(const Series& series, const Terms& terms)
      : base_(logs_of(series, &Pair::base)), head_(logs_of(series, &Pair::head)), terms_(terms) {}

  /// Draws resamples until the result is certain. Returns false if it had to stop before.
  bool draw(const Resamples& resamples, const MustEnd& must_end) {
    std::vector<Resamples::Count> room;
    for (std::size_t i = 0; drawn_.size() < terms_.resamples && !is_clear(); ++i) {
      if (must_end()) return false;
      const Resamples::Count* block = resamples.block(i, room);
      const Quantiles base = base_.quantiles(block), head = head_.quantiles(block);
      for (std::size_t lane = 0; lane < Resamples::kLanes; ++lane) {
        const double difference = head[lane] - base[lane];
        not_slower_ += difference <= terms_.margin;
        not_faster_ += difference >= -terms_.margin;
        drawn_.push_back(difference);
      }
    }
    return true;
  }

  Estimate estimate() {
    const double log_ratio = head_.quantile() - base_.quantile();
    return {.log_ratio = log_ratio,
            .low = quantile_of_drawn(terms_.tail),
            .high = quantile_of_drawn(1 - terms_.tail),
            .p_slower = share_of(not_slower_),
            .p_faster = share_of(not_faster_),
            .rounds = base_.size(),
            .statistic = Statistic::low_quantile};
  }

 private:
  bool is_clear() const {
    return drawn_.size() % kFirstResamples == 0 && !drawn_.empty() &&
           std::min(not_slower_, not_faster_) >= kContradictions;
  }

  double share_of(std::uint32_t count) const {
    return (count + 1.0) / (static_cast<double>(drawn_.size()) + 1);
  }

  /// Uses partial sorting, because only two adjacent elements are needed.
  double quantile_of_drawn(double at) {
    const double place = at * static_cast<double>(drawn_.size() - 1);
    const auto below = drawn_.begin() + static_cast<std::ptrdiff_t>(place);
    std::nth_element(drawn_.begin(), below, drawn_.end());
    const auto above = std::min_element(below + 1, drawn_.end());
    return above == drawn_.end() ? *below
                                 : *below + (place - std::floor(place)) * (*above - *below);
  }

  Sorted base_, head_;
  Terms terms_;
  std::vector<double> drawn_;
  std::uint32_t not_slower_ = 0, not_faster_ = 0;
};

/// The distribution of the number of heads in `throws` coin tosses.
class Throws {
 public:
  explicit Throws(std::size_t throws) : at_most_(throws + 1) {
    const auto n = static_cast<double>(throws);
    double sum = 0;
    for (std::size_t heads = 0; heads <= throws; ++heads) {
      const auto k = static_cast<double>(heads);
      sum += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) -
                      n * std::log(2.0));
      at_most_[heads] = std::min(sum, 1.0);
    }
  }

  double at_most(std::size_t heads) const { return at_most_[heads]; }
  double at_least(std::size_t heads) const { return at_most_[at_most_.size() - 1 - heads]; }

 private:
  std::vector<double> at_most_;
};

}  // namespace

double quantile(std::span<const double> sorted, double at) {
  const double place = at * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

Estimate compare_quantiles(const Series& series, const Terms& terms) {
  Differences differences(series, terms);
  differences.draw({series.size(), terms.seed, 0}, [] { return false; });
  return differences.estimate();
}

Estimate compare_pairs(const Series& series, const Terms& terms) {
  std::vector<double> ratios;
  ratios.reserve(series.size());
  for (const Pair& pair : series) ratios.push_back(std::log(pair.head / pair.base));
  std::sort(ratios.begin(), ratios.end());
  const std::size_t count = ratios.size();
  const Throws throws(count);
  const auto above = ratios.end() - std::upper_bound(ratios.begin(), ratios.end(), terms.margin);
  const auto below = std::lower_bound(ratios.begin(), ratios.end(), -terms.margin) - ratios.begin();
  Estimate found{.log_ratio = quantile(ratios, 0.5),
                 .low = -std::numeric_limits<double>::infinity(),
                 .high = std::numeric_limits<double>::infinity(),
                 .p_slower = throws.at_least(static_cast<std::size_t>(above)),
                 .p_faster = throws.at_least(static_cast<std::size_t>(below)),
                 .rounds = count,
                 .statistic = Statistic::paired_median};
  std::size_t left_out = 0;
  while (throws.at_most(left_out) <= terms.tail) ++left_out;
  if (left_out == 0) return found;
  found.low = ratios[left_out - 1];
  found.high = ratios[count - left_out];
  return found;
}

Estimate estimate(const Series& series, const Terms& terms) {
  return *estimate(series, terms, {series.size(), terms.seed, 0}, [] { return false; });
}

std::optional<Estimate> estimate(const Series& series, const Terms& terms,
                                 const Resamples& resamples, const MustEnd& must_end) {
  HARNESS_CHECK(series.size() >= kLeastRounds, "an interval needs some rounds");
  HARNESS_CHECK(series.size() == resamples.rounds(), "a resample has a count per round");
  Differences differences(series, terms);
  if (!differences.draw(resamples, must_end)) return std::nullopt;
  const Estimate quantiles = differences.estimate();
  const Estimate pairs = compare_pairs(series, terms);
  return quantiles.noise_floor() > kMuchNarrower * pairs.noise_floor() ? pairs : quantiles;
}

}  // namespace harness::gate
