// How it works. A resample is a count per round: how often the round was drawn. Both sides are
// sorted once; a side's quantile in a resample is found by walking its rounds from the fastest and
// adding up their counts, which takes a fifth of the rounds. So a resample of 80 rounds takes about
// 0.3 us. The sign test needs no resamples.
#include "harness/gate/estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "harness/gate/random.h"

namespace harness::gate {
namespace {

using Counts = std::vector<std::uint32_t>;

/// The rounds of one side from the fastest to the slowest.
class Sorted {
 public:
  explicit Sorted(const std::vector<double>& logs) : values_(logs.size()), rounds_(logs.size()) {
    std::iota(rounds_.begin(), rounds_.end(), 0U);
    std::sort(rounds_.begin(), rounds_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return logs[a] != logs[b] ? logs[a] < logs[b] : a < b;
    });
    for (std::size_t i = 0; i < rounds_.size(); ++i) values_[i] = logs[rounds_[i]];
  }

  double quantile() const { return gate::quantile(values_, kQuantile); }

  /// Returns the quantile of the resample that has each round so many times.
  double quantile(const Counts& counts) const {
    const double place = kQuantile * static_cast<double>(values_.size() - 1);
    const auto below = static_cast<std::uint32_t>(place);
    std::size_t i = 0;
    std::uint32_t passed = counts[rounds_[0]];
    while (passed <= below) passed += counts[rounds_[++i]];
    const double low = values_[i];
    while (passed <= below + 1) passed += counts[rounds_[++i]];
    return low + (place - below) * (values_[i] - low);
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

/// Draws as many rounds as there are, each as likely as any other.
void draw(Random& random, Counts& counts) {
  constexpr int kBits = 21;  // Three draws of a word; a chance is off by 1 in 25 000 of itself.
  std::fill(counts.begin(), counts.end(), 0U);
  const std::uint64_t size = counts.size();
  for (std::size_t drawn = 0; drawn < size;) {
    std::uint64_t word = random.next();
    for (int i = 0; i < 3 && drawn < size; ++i, ++drawn, word >>= kBits)
      ++counts[((word & ((1U << kBits) - 1)) * size) >> kBits];
  }
}

/// The chances of a coin thrown `throws` times.
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
  const Sorted base(logs_of(series, &Pair::base));
  const Sorted head(logs_of(series, &Pair::head));
  Random random(terms.seed);
  Counts counts(series.size());
  std::vector<double> drawn(terms.resamples);
  for (double& ratio : drawn) {
    draw(random, counts);
    ratio = head.quantile(counts) - base.quantile(counts);
  }
  std::sort(drawn.begin(), drawn.end());
  const auto share_of = [&](std::ptrdiff_t count) {
    return static_cast<double>(count + 1) / static_cast<double>(drawn.size() + 1);
  };
  const auto not_slower = std::upper_bound(drawn.begin(), drawn.end(), terms.margin);
  const auto faster = std::lower_bound(drawn.begin(), drawn.end(), -terms.margin);
  return {.log_ratio = head.quantile() - base.quantile(),
          .low = quantile(drawn, terms.tail),
          .high = quantile(drawn, 1 - terms.tail),
          .p_slower = share_of(not_slower - drawn.begin()),
          .p_faster = share_of(drawn.end() - faster),
          .rounds = series.size(),
          .statistic = Statistic::low_quantile};
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
  HARNESS_CHECK(series.size() >= kLeastRounds, "an interval needs some rounds");
  const Estimate quantiles = compare_quantiles(series, terms);
  const Estimate pairs = compare_pairs(series, terms);
  return quantiles.noise_floor() > kMuchNarrower * pairs.noise_floor() ? pairs : quantiles;
}

}  // namespace harness::gate
