// SPDX-License-Identifier: Apache-2.0
#include "harness/gate/futility.h"

#include <cmath>

namespace harness::gate {
namespace {

constexpr double kLeastChance = 0.05;
/// The width of an interval is assumed to shrink by this power of the rounds; independent rounds
/// would have 0.5.
constexpr double kShrinking = 0.6;
/// Quantile of the normal distribution for a tail of 0.5 %.
constexpr double kTailQuantile = 2.5758293035489004;

double normal_below(double value) { return std::erfc(-value / std::sqrt(2)) / 2; }

}  // namespace

double chance_of_verdict(const Estimate& estimate, std::size_t rounds, const Rule& rule) {
  const double half = estimate.noise_floor();
  if (!std::isfinite(half)) return 1;
  const double share = static_cast<double>(estimate.rounds) / static_cast<double>(rounds);
  const double half_then = half * std::pow(share, kShrinking);
  // Undecided: neither below `allowed` nor above `slower_by` by half an interval.
  const double low = std::log1p(rule.allowed) - half_then;
  const double high = std::log1p(rule.slower_by) + half_then;
  if (high <= low || share >= 1) return 1;
  const double centre = (estimate.low + estimate.high) / 2;
  const double spread = half / kTailQuantile * std::sqrt(1 - share);
  return 1 - normal_below((high - centre) / spread) + normal_below((low - centre) / spread);
}

bool is_futile(const Estimate& estimate, const Rule& rule) {
  return rule.curtails && estimate.rounds < rule.looks.back() &&
         chance_of_verdict(estimate, rule.looks.back(), rule) < kLeastChance;
}

}  // namespace harness::gate
