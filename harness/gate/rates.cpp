// SPDX-License-Identifier: Apache-2.0
#include "harness/gate/rates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace harness::gate {
namespace {

constexpr double kZ =
    1.959963984540054;  // Quantile of the normal distribution for 95 %, two-sided.

/// Returns a bound of the interval: the lower one if `sign` is -1.
double wilson(const Rate& rate, double sign) {
  const auto n = static_cast<double>(rate.total);
  const double share = rate.share(), square = kZ * kZ;
  const double spread = kZ * std::sqrt(share * (1 - share) / n + square / (4 * n * n));
  return (share + square / (2 * n) + sign * spread) / (1 + square / n);
}

}  // namespace

double Rate::share() const {
  return total == 0 ? 0 : static_cast<double>(count) / static_cast<double>(total);
}

double Rate::low() const { return count == 0 ? 0 : wilson(*this, -1); }
double Rate::high() const { return count == total ? 1 : wilson(*this, 1); }

std::string_view name_of(Health health) {
  constexpr std::array<std::string_view, 4> kNames{"too few samples", "shown", "red", "reported"};
  return kNames[static_cast<std::size_t>(health)];
}

Health health_of(const Rate& rate, bool is_false_alarm) {
  if (is_false_alarm ? rate.low() > 0.01 : rate.high() < 0.95) return Health::red;
  return (is_false_alarm ? rate.high() <= 0.02 : rate.low() >= 0.90) ? Health::shown
                                                                     : Health::too_few;
}

double mann_whitney(std::span<const double> first, std::span<const double> second) {
  std::vector<std::pair<double, bool>> all;
  for (const double value : first) all.emplace_back(value, true);
  for (const double value : second) all.emplace_back(value, false);
  std::sort(all.begin(), all.end());
  double rank_sum = 0, ties = 0;
  for (std::size_t i = 0, end = 0; i < all.size(); i = end) {
    while (end < all.size() && all[end].first == all[i].first) ++end;
    const double rank = (static_cast<double>(i + end) + 1) / 2, size = static_cast<double>(end - i);
    ties += size * size * size - size;
    for (std::size_t j = i; j < end; ++j) rank_sum += all[j].second ? rank : 0;
  }
  const auto a = static_cast<double>(first.size()), b = static_cast<double>(second.size());
  const double n = a + b, above = std::abs(rank_sum - a * (n + 1) / 2) - 0.5;
  const double variance = a * b / 12 * (n + 1 - ties / (n * (n - 1)));
  if (variance <= 0 || above <= 0) return 1;
  return std::erfc(above / std::sqrt(2 * variance));
}

double welch(std::span<const double> first, std::span<const double> second) {
  double means[2] = {}, errors[2] = {};
  int side = 0;
  for (const auto& set : {first, second}) {
    const auto size = static_cast<double>(set.size());
    for (const double value : set) means[side] += value / size;
    for (const double value : set)
      errors[side] += (value - means[side]) * (value - means[side]) / (size * (size - 1));
    ++side;
  }
  const double apart = std::abs(means[0] - means[1]), error = std::sqrt(errors[0] + errors[1]);
  if (error <= 0) return apart > 0 ? 0 : 1;
  return std::erfc(apart / error / std::sqrt(2));
}

}  // namespace harness::gate
