// SPDX-License-Identifier: Apache-2.0
#include "harness/gate/log_rank.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace harness::gate {
namespace {

/// A wait in a stratum, and the index of its trial: trials of the base come first.
struct Member {
  Wait wait;
  std::size_t trial;
  bool is_head;
};

/// A trial with the score of its waits. One without waits is left out of the permutation.
struct Trial {
  double score = 0;
  bool has_waits = false;
};

std::vector<Member> members_of(const Stratum& stratum) {
  std::vector<Member> members;
  for (std::size_t i = 0; i < stratum.base.size(); ++i)
    if (stratum.base[i]) members.push_back({*stratum.base[i], i, false});
  for (std::size_t i = 0; i < stratum.head.size(); ++i)
    if (stratum.head[i]) members.push_back({*stratum.head[i], stratum.base.size() + i, true});
  std::sort(members.begin(), members.end(),
            [](const Member& a, const Member& b) { return a.wait.time < b.wait.time; });
  return members;
}

/// Adds the scores of a stratum to those of its trials. Returns its information. A censored wait
/// counts as at risk at the time of its censoring.
double add_scores(const Stratum& stratum, std::vector<Trial>& trials) {
  const std::vector<Member> members = members_of(stratum);
  double at_risk = static_cast<double>(members.size()), expected = 0, information = 0;
  auto heads = static_cast<double>(
      std::count_if(members.begin(), members.end(), [](const Member& one) { return one.is_head; }));
  for (auto first = members.begin(); first != members.end();) {
    const auto last = std::find_if(
        first, members.end(), [&](const Member& one) { return one.wait.time > first->wait.time; });
    const auto ends = static_cast<double>(
        std::count_if(first, last, [](const Member& one) { return one.wait.ended; }));
    const double share = heads / at_risk;
    expected += ends / at_risk;
    if (at_risk > 1) information += ends * share * (1 - share) * (at_risk - ends) / (at_risk - 1);
    for (; first != last; ++first) {
      trials[first->trial].score += (first->wait.ended ? 1 : 0) - expected;
      trials[first->trial].has_waits = true;
      --at_risk;
      heads -= first->is_head ? 1 : 0;
    }
  }
  return information;
}

void add(const Block& block, LogRank& sum) {
  if (block.empty()) return;
  const std::size_t base_count = block.front().base.size();
  std::vector<Trial> trials(base_count + block.front().head.size());
  for (const Stratum& stratum : block) sum.information += add_scores(stratum, trials);
  double squares = 0, bases = 0, heads = 0;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!trials[i].has_waits) continue;
    squares += trials[i].score * trials[i].score;  // Their mean is 0.
    (i < base_count ? bases : heads) += 1;
    if (i >= base_count) sum.excess += trials[i].score;
  }
  const double all = bases + heads;
  if (all > 1) sum.variance += squares * bases * heads / (all * (all - 1));
}

void slow(std::vector<std::optional<Wait>>& waits, double factor, double limit) {
  for (std::optional<Wait>& wait : waits)
    if (wait && wait->ended)
      *wait = {std::min(wait->time * factor, limit), wait->time * factor <= limit};
}

/// Returns the excess in standard errors if one side is slowed by a factor.
double distance(std::span<const Block> blocks, std::vector<std::optional<Wait>> Stratum::* side,
                double factor, double limit) {
  LogRank sum;
  for (Block block : blocks) {
    for (Stratum& stratum : block) slow(stratum.*side, factor, limit);
    add(block, sum);
  }
  return sum.variance > 0 ? sum.excess / std::sqrt(sum.variance) : 0;
}

double tail_above(double z) { return std::erfc(z / std::sqrt(2.0)) / 2; }

}  // namespace

double normal_quantile(double chance) {
  double low = -40, high = 40;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (tail_above(-middle) < chance ? low : high) = middle;
  }
  return low;
}

double LogRank::factor() const { return factor_at(0); }

double LogRank::factor_at(double z) const {
  if (information <= 0) return 1;
  return std::exp((z * std::sqrt(variance) - excess) / information);
}

double LogRank::p_longer() const {
  return variance > 0 ? tail_above(-excess / std::sqrt(variance)) : 1;
}

double LogRank::p_shorter() const {
  return variance > 0 ? tail_above(excess / std::sqrt(variance)) : 1;
}

LogRank log_rank(std::span<const Block> blocks) {
  LogRank sum;
  for (const Block& block : blocks) add(block, sum);
  return sum;
}

double times_for(double factor, double limit, double level, double power,
                 std::span<const Block> blocks) {
  // Averaging both directions cancels an existing difference between the sides.
  const double away = (distance(blocks, &Stratum::base, factor, limit) -
                       distance(blocks, &Stratum::head, factor, limit)) /
                      2;
  if (away <= 0) return std::numeric_limits<double>::infinity();
  const double ratio = (normal_quantile(1 - level) + normal_quantile(power)) / away;
  return ratio * ratio;
}

}  // namespace harness::gate
